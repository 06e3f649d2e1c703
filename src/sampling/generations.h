// The two halves of what the kernel side keeps: it counts into one while user space empties the other. The state and
// the account of both are memory that the two sides share, so reading them costs no system call.
#pragma once

#include <cstdint>

#include "abi/record.h"
#include "model/account.h"
#include "support/bpf.h"
#include "support/clock.h"

namespace profile {

class Children;

class Generations {
 public:
  // `object` is loaded. Throws Error when its memory cannot be mapped.
  explicit Generations(bpf_object& object);

  // The number, 0 or 1, of the half that the kernel side counts into.
  [[nodiscard]] std::uint32_t current() const { return state_->drain_count & 1; }
  // From now on the kernel side counts into the other half. No program writes to this one when it returns.
  void advance();
  // Returns when every program that runs now has ended.
  void await_programs() const { barrier_.wait(); }
  // Once its samples are read: sets the counts of this half to zero.
  void clear(std::uint32_t generation);

  // What the programs counted in this half since it was cleared.
  [[nodiscard]] Account account_of(std::uint32_t generation) const;
  // Rows of the histogram of the current half.
  [[nodiscard]] std::uint64_t rows() const;
  // Descendants of the command that could not be followed because the map of targets was full.
  [[nodiscard]] std::uint64_t unfollowed() const;

  // While it is paused, what the kernel side sees lies outside of the run and is counted nowhere.
  void set_paused(bool paused);
  // The end of what counts up to now, by CLOCK_MONOTONIC: now, or when it was paused.
  [[nodiscard]] std::uint64_t counts_until_ns() const { return paused_ns_ != 0 ? paused_ns_ : monotonic_ns(); }
  // Tells the kernel side which processes are the profiler's: itself, and its children as they are now. Null: none.
  void note_own_processes(const Children* children);

 private:
  std::uint32_t cpus_;
  SharedArray state_memory_;
  record_state* state_;
  SharedArray account_memory_;
  cpu_account* accounts_;        // [generation * cpus_ + cpu]
  std::uint64_t paused_ns_ = 0;  // 0: it is not paused
  ProgramBarrier barrier_;
};

}  // namespace profile
