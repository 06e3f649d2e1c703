// The user side of bpf/block_io.bpf.c.
#include <bpf/libbpf.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "abi/block_io.h"
#include "abi/walk.h"
#include "block_io.skel.h"
#include "model/run_words.h"
#include "sampling/durations.h"
#include "sampling/map_walk.h"
#include "sampling/traced.h"
#include "support/plural.h"

namespace profile {
namespace {

// Requests under way at the same time, in all queues of all devices.
constexpr std::uint32_t most_requests = 65536;
// There is one row for each device, operation and CPU.
constexpr std::uint32_t most_rows = 8192;

// enum req_op of the kernel's linux/blk_types.h. Operations of zoned devices are left out, because their numbers have
// changed.
constexpr std::pair<std::uint32_t, const char*> operation_names[] = {
    {0, "read"},         {1, "write"},        {2, "flush"},      {3, "discard"},
    {5, "secure-erase"}, {9, "write-zeroes"}, {34, "driver-in"}, {35, "driver-out"},
};

void prepare(bpf_object& object, const SamplingOptions& options) {
  size_map(object, "spans", most_requests, "size the table of requests");
  DurationRows::prepare(object, options, most_rows);
}

TracedPrograms::Plan plan() {
  return {.name = "block_io",
          .elf_bytes = block_io__elf_bytes,
          .attached = {"on_complete", "on_issue", "on_insert"},
          .loaded = {"flush"},
          .recording = {.weighted = true, .filter_cpu = true},
          .prepare = prepare,
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
  static std::string operation(std::uint32_t tag) {
    const std::uint32_t number = (tag - 1) & PROFILE_BLOCK_OPERATION_MASK;
    const auto* const known = std::ranges::find(operation_names, number, [](const auto& one) { return one.first; });
    return known != std::end(operation_names) ? known->second : "operation-" + std::to_string(number);
  }
  std::string text(std::uint32_t tag) { return "[" + operation(tag) + " " + disk(tag) + "]"; }

 private:
  int disks_fd_;
  std::unordered_map<std::uint32_t, std::string> names_;  // disk names by disk number
};

class BlockIo final : public Source {
 public:
  explicit BlockIo(const SamplingOptions& options)
      : Source(std::make_unique<TracedPrograms>(
            plan(), options,
            ValueConversion{.divisor = 1000, .tag_text = [this](std::uint32_t tag) { return tags_.text(tag); }})),
        rows_(programs(), most_rows, "request"),
        tags_(programs().map_fd("disks")) {}

  void describe(RunInfo& run) const override { set_measure(run, measures::block_io); }

  void make_room(ProcessTimeline&, Profile&) override { rows_.make_room(); }
  void collect(ProcessTimeline& timeline, Profile& into, bool stopped) override {
    rows_.flush(stopped);
    const std::uint64_t before = into.account.filtered;
    Source::collect(timeline, into, stopped);
    filtered_ += into.account.filtered - before;
    into.duration_tables.push_back(rows_.take(
        {.id = "block_requests",
         .title = "Requests to block devices",
         .column_names = {"device", "operation"},
         .has_bytes = true},
        stopped, [&](std::uint64_t what, std::uint32_t, const DurationRows::Sum&) {
          const auto tag = static_cast<std::uint32_t>(what);
          return DurationTable::Row{
              .labels = {into.strings.intern(tags_.disk(tag)), into.strings.intern(BlockTags::operation(tag))},
              .durations = {}};
        }));
  }
  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> lines = rows_.notes();
    const bool are_chosen = !options().command.empty() || !options().tgids.empty() || !options().tids.empty();
    if (are_chosen && filtered_ != 0) {
      lines.push_back(
          number_of(filtered_, "request was", "requests were") +
          " made by others; among these are kernel threads (kworker), which write what programs have left in "
          "the page cache");
    }
    return lines;
  }

 private:
  std::uint64_t filtered_ = 0;  // requests of processes that are not wanted
  DurationRows rows_;
  BlockTags tags_;
};

}  // namespace

std::unique_ptr<Source> make_block_io(const SamplingOptions& options) {
  refuse_rate(options, "request");
  return std::make_unique<BlockIo>(options);
}

}  // namespace profile
