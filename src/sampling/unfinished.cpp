#include "sampling/unfinished.h"

#include <algorithm>
#include <utility>

#include "process/timeline.h"
#include "sampling/table_supply.h"
#include "support/work_budget.h"

namespace profile {
namespace {

// Two CPUs fill it in a second at a thousand samples a second, with the largest copies of stacks. If there is more,
// the walks wait for a table that does not come.
constexpr std::uint64_t most_kept_bytes = 64U << 20;

// The work for tables at the end of a run, in steps of WorkBudget: some 100 ms on an idle machine. It is no time limit,
// because the stacks must not depend on how busy the machine is.
constexpr std::uint64_t most_work = 1ULL << 27;
// The same at the end of an interval: less, because the rings hold only a quarter of a second of samples.
constexpr std::uint64_t most_work_while_sampling = 1ULL << 25;

const ring_unfinished& unfinished_in(const std::vector<std::uint64_t>& record) {
  return *reinterpret_cast<const ring_unfinished*>(record.data());
}

// The mappings of the process at the time of the sample.
class CodeThen : public WalkedCode {
 public:
  CodeThen(const ring_unfinished& begun, TableSupply& tables, ProcessTimeline& timeline)
      : tables_(tables),
        timeline_(timeline),
        tgid_(begun.key.tgid),
        time_ns_(begun.time_ns),
        image_(timeline.image_at(tgid_, begun.time_ns)) {}

  Code place_of(std::uint64_t address) override {
    const CodeLocation found = timeline_.locate(tgid_, image_, RuntimeAddress{address});
    using Kind = Code::Kind;
    switch (found.kind) {
      case CodeLocation::Kind::unknown:
        return {.kind = Kind::waiting};
      case CodeLocation::Kind::unfollowed:
      case CodeLocation::Kind::nowhere:
        return {.kind = Kind::nowhere};
      case CodeLocation::Kind::jit:
        return {.kind = Kind::plain};
      case CodeLocation::Kind::vdso:
      case CodeLocation::Kind::file:
        break;
    }
    const bool is_vdso = found.kind == CodeLocation::Kind::vdso;
    const walk_file file = tables_.known(is_vdso ? nullptr : found.file);
    if (file.state == WALK_FILE_ASKED && !is_vdso) tables_.want(*found.file, tgid_, time_ns_, address);
    Code place{.table = file, .offset = found.offset.value, .is_vdso = is_vdso};
    place.kind = Kind::waiting;
    if (file.state == WALK_FILE_READY) place.kind = Kind::table;
    if (file.state == WALK_FILE_NONE) place.kind = Kind::plain;
    return place;
  }
  const char* slab(std::uint32_t number) override { return tables_.slab(number); }
  [[nodiscard]] script_language language_of(std::uint32_t layout) const override { return tables_.language_of(layout); }

  // True if the timeline names the same file for the frame as the kernel. It may not, if the mapping was replaced
  // before the timeline knew it.
  [[nodiscard]] bool agrees_on(const walk_stuck& stuck) {
    const RuntimeAddress look = call_address(RuntimeAddress{stuck.pc}, stuck.was_interrupted == 0);
    const CodeLocation found = timeline_.locate(tgid_, image_, look);
    if (found.kind == CodeLocation::Kind::vdso) return stuck.file.inode == 0 && stuck.file.device == 0;
    if (found.kind != CodeLocation::Kind::file) return false;
    if (tables_.is_known_as(*found.file, stuck.file)) return true;
    tables_.was_met(stuck.file, *found.file, tgid_, time_ns_, look.value);
    return false;
  }

 private:
  TableSupply& tables_;
  ProcessTimeline& timeline_;
  std::uint32_t tgid_;
  std::uint64_t time_ns_;
  std::uint32_t image_;
};

}  // namespace

void UnfinishedWalks::keep(std::span<const std::uint64_t> record) {
  kept_.emplace_back(record.begin(), record.end());
  kept_bytes_ += record.size_bytes();
  const ring_unfinished& begun = unfinished_in(kept_.back());
  if (begun.of_span == UNFINISHED_BLOCKED) blocked_bytes_ += record.size_bytes();
  if (begun.of_span != UNFINISHED_SAMPLE) span_hashes_.insert(begun.key.user_hash);
  has_new_ = true;
}

void UnfinishedWalks::finish(ProcessTimeline& timeline, const OnFinished& on_finished) {
  const bool has_new = std::exchange(has_new_, false);
  if (kept_.empty() || (!has_new && tried_at_change_ == tables_.changes())) return;
  tried_at_change_ = tables_.changes();
  const bool are_too_many = kept_bytes_ > most_kept_bytes + blocked_bytes_;
  std::erase_if(kept_, [&](const Record& record) { return try_one(record, are_too_many, timeline, on_finished); });
  tables_.release();
}

std::uint64_t UnfinishedWalks::oldest_ns() const {
  std::uint64_t oldest = UINT64_MAX;
  for (const Record& record : kept_) {
    const ring_unfinished& begun = unfinished_in(record);
    if (begun.of_span == UNFINISHED_SAMPLE) oldest = std::min(oldest, std::uint64_t{begun.time_ns});
  }
  return oldest;
}

void UnfinishedWalks::end_before(std::uint64_t time_ns, ProcessTimeline& timeline, const OnFinished& on_finished) {
  if (oldest_ns() >= time_ns) return;
  std::erase_if(kept_, [&](const Record& record) {
    const ring_unfinished& begun = unfinished_in(record);
    const bool is_old = begun.of_span == UNFINISHED_SAMPLE && begun.time_ns < time_ns;
    return is_old && try_one(record, true, timeline, on_finished);
  });
  tables_.release();
}

void UnfinishedWalks::end(std::uint32_t generation, bool is_sampling, ProcessTimeline& timeline,
                          const OnFinished& on_finished) {
  WorkBudget work(is_sampling ? most_work_while_sampling : most_work);
  has_new_ = true;  // the timeline may know the mappings of kept records by now
  // With a new table a walk may come to the next file without one, as from a library to the program.
  constexpr int most_rounds = 4;
  for (int round = 0; round < most_rounds && !kept_.empty(); ++round) {
    finish(timeline, on_finished);
    if (!kept_.empty() && tables_.is_asked()) tables_.hurry(timeline, !is_sampling, work);
  }
  std::erase_if(kept_, [&](const Record& record) {
    const ring_unfinished& begun = unfinished_in(record);
    // A span may last long, and its table may come before it is counted.
    if (begun.of_span != UNFINISHED_SAMPLE) return try_one(record, !is_sampling, timeline, on_finished);
    return begun.header.generation == generation && try_one(record, true, timeline, on_finished);
  });
  tables_.release();
}

bool UnfinishedWalks::try_one(const Record& record, bool is_last, ProcessTimeline& timeline,
                              const OnFinished& on_finished) {
  const ring_unfinished& begun = unfinished_in(record);
  CodeThen code(begun, tables_, timeline);
  FinishedWalk finished;
  finished.is_waiting = true;
  const bool is_blocked = begun.of_span == UNFINISHED_BLOCKED;  // it has no frames but those of this walk
  if (is_blocked || code.agrees_on(begun.stuck)) finished = finish_walk(begun, code, tables_alone_, most_frames_);
  if (finished.is_waiting && !is_last) return false;
  // The stack may go on behind the end of the copy.
  if (finished.end == WALK_NOT_READABLE) finished.end = WALK_NO_TABLE_YET;
  kept_bytes_ -= record.size() * sizeof(std::uint64_t);
  if (begun.of_span != UNFINISHED_SAMPLE) span_hashes_.erase(begun.key.user_hash);
  if (finished.is_waiting) finished.end = WALK_NO_TABLE_YET;
  on_finished(begun, finished.is_waiting && !is_blocked ? nullptr : &finished);
  return true;
}

}  // namespace profile
