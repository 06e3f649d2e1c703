// Keeps samples whose walk met a file before its table was there, until the table comes or until they must be counted.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "abi/walk.h"
#include "sampling/finish_walk.h"

namespace profile {

class ProcessTimeline;
class TableSupply;

class UnfinishedWalks {
 public:
  // `tables` must outlive it. The other arguments are those of finish_walk().
  UnfinishedWalks(TableSupply& tables, bool tables_alone, std::uint32_t most_frames)
      : tables_(tables), tables_alone_(tables_alone), most_frames_(most_frames) {}

  // Keeps a record of the ring, padded to whole words.
  void keep(std::span<const std::uint64_t> record);

  // True if a span's stack with this hash waits to be finished.
  [[nodiscard]] bool has_span(std::uint64_t hash) const { return span_hashes_.contains(hash); }

  // `finished`: null means that the sample counts with the frames that it has.
  using OnFinished = std::function<void(const ring_unfinished& begun, const FinishedWalk* finished)>;
  // Finishes the walks that can be finished now, if a table or a record has come since the last call.
  void finish(ProcessTimeline& timeline, const OnFinished& on_finished);
  // When the oldest sample was taken that waits to be finished (CLOCK_MONOTONIC); UINT64_MAX: none does. Spans do not
  // count, because they come later anyway.
  [[nodiscard]] std::uint64_t oldest_ns() const;
  // Ends the samples that were taken before that time, even if their walks cannot be finished.
  void end_before(std::uint64_t time_ns, ProcessTimeline& timeline, const OnFinished& on_finished);
  // Ends all samples of that generation, even if their walks cannot be finished; spans only when sampling is over.
  // `is_sampling`: it must return soon, because new samples must be read.
  void end(std::uint32_t generation, bool is_sampling, ProcessTimeline& timeline, const OnFinished& on_finished);

 private:
  using Record = std::vector<std::uint64_t>;
  // True when the record is done and can be removed.
  bool try_one(const Record& record, bool is_last, ProcessTimeline& timeline, const OnFinished& on_finished);

  TableSupply& tables_;
  bool tables_alone_;
  std::uint32_t most_frames_;
  std::vector<Record> kept_;
  std::unordered_set<std::uint64_t> span_hashes_;
  std::uint64_t kept_bytes_ = 0;
  std::uint64_t blocked_bytes_ = 0;  // allowed in addition, because blocked threads come all at once at the start
  bool has_new_ = false;
  std::uint64_t tried_at_change_ = 0;  // TableSupply::changes()
};

}  // namespace profile
