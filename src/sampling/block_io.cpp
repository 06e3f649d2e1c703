// The user side of bpf/block_io.bpf.c.
#include <bpf/libbpf.h>

#include <string>
#include <unordered_map>

#include "abi/block_io.h"
#include "abi/walk.h"
#include "block_io.skel.h"
#include "sampling/durations.h"
#include "sampling/map_walk.h"
#include "sampling/recorder.h"
#include "sampling/traced.h"

namespace profile {
namespace {

// Requests under way at the same time, in all queues of all devices.
constexpr std::uint32_t most_requests = 65536;
// There is one row for each device, operation and CPU.
constexpr std::uint32_t most_rows = 8192;

// enum req_op of the kernel's linux/blk_types.h. Operations of zoned devices are left out, because their numbers have
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

TracedPrograms::Plan plan_of(const SamplingOptions& options) {
  return {.name = "block_io",
          .elf_bytes = block_io__elf_bytes,
          .attached = {"on_complete", "on_issue", "on_insert"},
          .loaded = {"flush"},
          .recording = {.weighted = true, .filter_cpu = true},
          .prepare =
              [&options](bpf_object& object) {
                check_bpf(bpf_map__set_max_entries(&bpf_map_named(object, "spans"), most_requests),
                          "size the table of requests");
                DurationRows::prepare(object, options, most_rows);
              },
          .use = "block-io"};
}

// Gives the disk and the operation of a tag (abi/block_io.h).
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
  std::unordered_map<std::uint32_t, std::string> names_;  // disk names by disk number
};

class BlockIo final : public Source {
 public:
  explicit BlockIo(const SamplingOptions& options)
      : timed_(plan_of(options), options, most_rows, "request", [this](std::uint32_t tag) { return tags_.text(tag); }),
        tags_(bpf_map__fd(&bpf_map_named(timed_.object(), "disks"))) {}

  void describe(RunInfo& run) const override {
    run.unit = "microseconds";
    run.counted = "requests";
    run.tag = "request";
    run.title = "Tracing requests to block devices in microseconds";
    run.frequency_hz = 0;
    run.period_events = 0;
  }

  void start() override { timed_.start(); }
  void stop() override { timed_.stop(); }
  void set_cpus(const CpuList&) override {}
  void make_room(ProcessTimeline&, Profile&) override { timed_.make_room(); }
  void collect(ProcessTimeline& timeline, Profile& into, bool stopped) override {
    timed_.flush(stopped);
    Source::collect(timeline, into, stopped);
    into.duration_tables.push_back(timed_.take(
        {.id = "block_requests",
         .title = "Requests to block devices",
         .column_names = {"device", "operation"},
         .rows = {},
         .has_bytes = true},
        stopped, [&](std::uint64_t what, std::uint32_t, const DurationRows::Sum&) {
          const auto tag = static_cast<std::uint32_t>(what);
          return std::vector{into.strings.intern(tags_.disk(tag)), into.strings.intern(BlockTags::operation(tag))};
        }));
  }
  [[nodiscard]] BpfCost cost() const override { return timed_.cost(); }
  [[nodiscard]] bool has_tracing_frames() const override { return true; }
  [[nodiscard]] std::vector<std::string> notes() const override { return timed_.notes(); }

 private:
  Recorder& recorder() override { return timed_.recorder(); }

  TimedPrograms timed_;
  BlockTags tags_;
};

}  // namespace

std::unique_ptr<Source> make_block_io(const SamplingOptions& options) {
  refuse_rate(options, "request");
  return std::make_unique<BlockIo>(options);
}

}  // namespace profile
