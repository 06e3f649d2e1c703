// The user side of bpf/block_io.bpf.c.
#include "sampling/block_io.h"

#include <bpf/libbpf.h>

#include <string>
#include <unordered_map>

#include "abi/block_io.h"
#include "block_io.skel.h"
#include "sampling/duration_rows.h"
#include "sampling/map_walk.h"
#include "sampling/recorder.h"
#include "sampling/traced.h"
#include "support/error.h"

namespace profile {
namespace {

// Requests on their way at a time, those of all queues of all devices.
constexpr std::uint32_t most_requests = 65536;
// Pairs of a device and an operation, on each CPU.
constexpr std::uint32_t most_rows = 8192;

// enum req_op of the kernel's linux/blk_types.h; the ones left out are of zoned devices, and their numbers have
// changed.
std::string operation_name(std::uint32_t operation) {
  switch (operation) {
    case 0:
      return "read";
    case 1:
      return "write";
    case 2:
      return "flush";
    case 3:
      return "discard";
    case 5:
      return "secure-erase";
    case 9:
      return "write-zeroes";
    case 34:
      return "driver-in";
    case 35:
      return "driver-out";
    default:
      return "operation-" + std::to_string(operation);
  }
}

TracedPrograms::Plan plan() {
  return {.name = "block_io",
          .elf_bytes = block_io__elf_bytes,
          .attached = {"on_complete", "on_issue", "on_insert"},
          .loaded = {"flush"},
          .recording = {.weighed = true, .filter_cpu = true},
          .prepare =
              [](bpf_object& object) {
                bpf_map__set_max_entries(&bpf_map_named(object, "spans"), most_requests);
                DurationRows::prepare(object, most_rows);
              },
          .needs = "Linux 5.13 with BTF"};
}

// What a tag stands for.
class BlockTags {
 public:
  explicit BlockTags(int disks_fd) : disks_fd_(disks_fd) {}

  const std::string& disk(std::uint32_t tag) {
    const std::uint32_t number = (tag - 1) >> PROFILE_BLOCK_DISK_SHIFT;
    if (!names_.contains(number)) {
      for_each_entry<disk_key>(
          disks_fd_, sizeof(std::uint64_t), false, [this](const disk_key& key, const std::uint64_t* words) {
            names_[static_cast<std::uint32_t>(*words)].assign(key.name, ::strnlen(key.name, sizeof key.name));
          });
    }
    std::string& name = names_[number];
    if (name.empty()) name = "?";
    return name;
  }
  static std::string operation(std::uint32_t tag) { return operation_name((tag - 1) & PROFILE_BLOCK_OPERATION_MASK); }
  std::string text(std::uint32_t tag) { return "[" + operation(tag) + " " + disk(tag) + "]"; }

 private:
  int disks_fd_;
  std::unordered_map<std::uint32_t, std::string> names_;  // of disks, by number
};

class BlockIo final : public Source {
 public:
  explicit BlockIo(const SamplingOptions& options)
      : programs_(plan(), options),
        tags_(bpf_map__fd(&bpf_map_named(programs_.object(), "disks"))),
        recorder_(programs_.object(), options,
                  Reading{.divisor = 1000, .tag_text = [this](std::uint32_t tag) { return tags_.text(tag); }}),
        rows_(programs_.object(), most_rows) {}

  void describe(RunInfo& run) const override {
    run.unit = "microseconds";
    run.counted = "requests";
    run.title = "Tracing requests to block devices in microseconds";
    run.frequency_hz = 0;
    run.period_events = 0;
  }

  void start() override { programs_.attach(); }
  void stop() override { programs_.detach(); }
  void set_cpus(const CpuList&) override {}
  Recorder& recorder() override { return recorder_; }

  bool is_filling() override { return Source::is_filling() || rows_.is_filling(); }
  void relieve(ProcessTimeline& timeline, Profile& into) override {
    Source::relieve(timeline, into);
    rows_.take(false);
  }

  void collect(ProcessTimeline& timeline, Profile& into, bool stopped) override {
    rows_.set_last_flush(stopped);
    programs_.run("flush");
    Source::collect(timeline, into, stopped);
    rows_.take(stopped);
    DurationTable table{.id = "block_requests",
                        .title = "Requests to block devices",
                        .column_names = {"device", "operation"},
                        .rows = {},
                        .has_bytes = true};
    rows_.fill(table, [&](std::uint64_t what, std::uint32_t, const DurationRows::Sum&) {
      const auto tag = static_cast<std::uint32_t>(what);
      return std::vector<StringId>{into.strings.intern(tags_.disk(tag)),
                                   into.strings.intern(BlockTags::operation(tag))};
    });
    into.duration_tables.push_back(std::move(table));
  }

  [[nodiscard]] BpfCost cost() const override { return programs_.cost(); }
  [[nodiscard]] bool has_tracing_frames() const override { return true; }
  [[nodiscard]] std::vector<std::string> notes() const override { return rows_.notes("request"); }

 private:
  TracedPrograms programs_;
  BlockTags tags_;
  Recorder recorder_;
  DurationRows rows_;
};

}  // namespace

std::unique_ptr<Source> make_block_io(const SamplingOptions& options) {
  if (options.frequency_hz || options.period_events) {
    throw usage_error("-F and -c are not for -e block-io: every request counts");
  }
  return std::make_unique<BlockIo>(options);
}

}  // namespace profile
