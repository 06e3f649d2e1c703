// The user side of bpf/futex.bpf.c.
#include <bpf/libbpf.h>
#include <sys/syscall.h>

#include <cstdio>

#include "abi/futex.h"
#include "abi/walk.h"
#include "futex.skel.h"
#include "model/run_words.h"
#include "process/timeline.h"
#include "sampling/durations.h"
#include "sampling/kernel_needs.h"
#include "sampling/traced.h"
#include "sampling/wait_bounds.h"
#include "support/clock.h"

namespace profile {
namespace {

// Threads that are alive at the same time and have waited: each keeps its map entry from its first wait on.
constexpr std::uint32_t most_threads = 65536;
// There is one row for each address, process and CPU.
constexpr std::uint32_t most_rows = 16384;

// Most locks lie in objects that have no name.
constexpr std::string_view unnamed_lock = "-";

// System call numbers that the headers of some systems lack. They are the same on all architectures.
constexpr int number_of_futex_waitv = 449;
constexpr int number_of_futex_wait = 455;
// System call numbers of 32-bit programs, the same on x86 and ARM.
constexpr int number_of_compat_futex = 240;
constexpr int number_of_compat_futex_time64 = 422;

void prepare(bpf_object& object, const SamplingOptions& options) {
  auto* config = static_cast<futex_config*>(bpf_section_memory(object, ".rodata.futex", sizeof(futex_config)));
  config->min_ns = nanoseconds(options.source.min_block_us);
  config->max_ns = nanoseconds(options.source.max_block_us);
  config->futex = SYS_futex;
  config->futex_wait = number_of_futex_wait;
  config->futex_waitv = number_of_futex_waitv;
  config->compat_futex = number_of_compat_futex;
  config->compat_futex_time64 = number_of_compat_futex_time64;
  size_map(object, "spans", most_threads, "size the table of waits");
  DurationRows::prepare(object, options, most_rows);
}

TracedPrograms::Plan plan() {
  const bool events = counts_on_trace_events();
  return {.name = "futex",
          .elf_bytes = futex__elf_bytes,
          .attached = {events ? "on_exit_event" : "on_exit", "on_thread_end", "on_exec",
                       events ? "on_enter_event" : "on_enter"},
          .loaded = {"flush"},
          .recording = {.weighted = true, .filter_cpu = true},
          .prepare = prepare,
          .use = "futex"};
}

class Futex final : public Source {
 public:
  explicit Futex(const SamplingOptions& options)
      : Source(std::make_unique<TracedPrograms>(plan(), options, ValueConversion{.divisor = 1000, .tag_text = {}})),
        rows_(programs(), most_rows, "wait") {}

  void describe(RunInfo& run) const override { set_measure(run, measures::futex); }

  void make_room(ProcessTimeline&, Profile&) override { rows_.make_room(); }
  [[nodiscard]] bool names_ended_processes() const override { return true; }
  void collect(ProcessTimeline& timeline, Profile& into, bool stopped) override {
    rows_.flush(stopped);
    Source::collect(timeline, into, stopped);
    into.duration_tables.push_back(rows_.take(
        {.id = "futexes", .title = "Waits for futexes", .column_names = {"process", "pid", "address", "name"}}, stopped,
        [&](std::uint64_t address, std::uint32_t tgid, const DurationRows::Sum& sum) {
          const std::uint32_t image = timeline.image_at(tgid, monotonic_ns());
          const std::string_view name = timeline.name_of(tgid, image);
          char text[24];
          std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
          return DurationTable::Row{
              .labels = {into.strings.intern(name.empty() ? std::string_view(sum.comm) : name),
                         into.strings.intern(std::to_string(tgid)), into.strings.intern(text),
                         into.strings.intern(unnamed_lock)},
              .durations = {},
              .variable = DurationTable::Row::Variable{.tgid = tgid, .image = image, .address = address}};
        }));
    has_waits_ |= !into.duration_tables.back().rows.empty();
  }
  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> lines = rows_.notes();
    if (has_waits_) lines.emplace_back("who ended such waits, as the holder of a lock does: -e off-cpu --waker");
    return lines;
  }

 private:
  DurationRows rows_;
  bool has_waits_ = false;
};

}  // namespace

std::unique_ptr<Source> make_futex(const SamplingOptions& options) {
  refuse_rate(options, "wait");
  return std::make_unique<Futex>(options);
}

}  // namespace profile
