// The two halves (generations) of the maps: the BPF programs count into one while user space drains the other. The
// state and the account are in shared memory, so that user space reads them without a system call.
#pragma once

#include <cstdint>

#include "abi/record.h"
#include "model/account.h"
#include "support/bpf.h"
#include "support/clock.h"

namespace profile {

class Generations {
 public:
  // `object` is loaded. Throws Error when its memory cannot be mapped.
  explicit Generations(bpf_object& object);

  // The half (0 or 1) into which the BPF programs count now.
  [[nodiscard]] std::uint32_t current() const { return state_->drain_count & 1; }
  // Makes the BPF programs count into the other half. When it returns, no program writes to the old half any more.
  void advance();
  // Returns when every program that runs now has ended.
  void await_programs() const { barrier_.wait(); }
  // Sets the counts of this half to zero. Call it after its samples are read.
  void clear(std::uint32_t generation);

  // What the BPF programs have counted in this half since clear().
  [[nodiscard]] Account account_of(std::uint32_t generation) const;
  // The number of rows in the histogram of the current half.
  [[nodiscard]] std::uint64_t rows() const { return rows_of(current()); }
  [[nodiscard]] std::uint64_t rows_of(std::uint32_t generation) const;
  // Descendants of the command that could not be followed because the map of targets was full.
  [[nodiscard]] std::uint64_t unfollowed() const;

  // While paused, the BPF programs count nothing: what happens then is not part of the run.
  void set_paused(bool paused);
  // The end of the counted time so far (CLOCK_MONOTONIC): the time of the pause, otherwise now.
  [[nodiscard]] std::uint64_t counts_until_ns() const { return paused_ns_ != 0 ? paused_ns_ : monotonic_ns(); }
  // Gives the BPF programs the ids of the profiler's own processes: this process and its present children.
  void note_own_processes();

 private:
  std::uint32_t cpus_;
  SharedValues<record_state> state_;
  SharedValues<cpu_account> accounts_;  // [generation * cpus_ + cpu]
  std::uint64_t paused_ns_ = 0;         // 0: it is not paused
  ProgramBarrier barrier_;
};

}  // namespace profile
