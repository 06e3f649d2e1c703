// Samples whose walk met a file before its table was there: kept until it comes, or until they have to be counted.
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
  // `tables` must outlive it. The others: as finish_walk() has them.
  UnfinishedWalks(TableSupply& tables, bool tables_alone, std::uint32_t most_frames)
      : tables_(tables), tables_alone_(tables_alone), most_frames_(most_frames) {}

  // A record of the ring, filled up to whole words.
  void keep(std::span<const std::uint64_t> record);

  // Whether the stack of that hash waits to be finished: one that no sample has, but a span.
  [[nodiscard]] bool has_span(std::uint64_t hash) const { return span_hashes_.contains(hash); }

  // `finished`: null when the sample is to be counted with the frames that it has.
  using OnFinished = std::function<void(const ring_unfinished& begun, const FinishedWalk* finished)>;
  // Those that can be finished now, if any table has come since the last call.
  void finish(ProcessTimeline& timeline, const OnFinished& on_finished);
  // All samples of that generation, whether they can be finished or not; spans only when sampling is over.
  // `is_sampling`: what comes meanwhile has to be read soon.
  void end(std::uint32_t generation, bool is_sampling, ProcessTimeline& timeline, const OnFinished& on_finished);

 private:
  using Record = std::vector<std::uint64_t>;
  // True when it is done.
  bool try_one(const Record& record, bool is_last, ProcessTimeline& timeline, const OnFinished& on_finished);

  TableSupply& tables_;
  bool tables_alone_;
  std::uint32_t most_frames_;
  std::vector<Record> kept_;
  std::unordered_set<std::uint64_t> span_hashes_;
  std::uint64_t kept_bytes_ = 0;
  std::uint64_t blocked_bytes_ = 0;  // that came of threads that were blocked: all at once, and no more of them later
  bool has_new_ = false;
  std::uint64_t tried_at_change_ = 0;  // TableSupply::changes()
};

}  // namespace profile
