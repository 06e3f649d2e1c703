// How much of strangers' files is read at one time, and in the long run: users who lay out large file after large file,
// or write one anew again and again, neither hold others' names up nor cost more than a small part of a CPU.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "support/work_budget.h"

namespace profile {

// A budget that comes back with time.
class Allowance {
 public:
  // Spent, it takes `whole_after_s` until there is all of it again.
  Allowance(std::uint64_t most, double whole_after_s) : most_(most), whole_after_s_(whole_after_s), budget_(most) {}

  [[nodiscard]] WorkBudget& budget() { return budget_; }
  [[nodiscard]] std::uint64_t left() const { return budget_.left(); }
  void renew(std::uint64_t now_ns);

 private:
  std::uint64_t most_;
  double whole_after_s_;
  WorkBudget budget_;
  std::uint64_t renewed_ns_ = 0;
};

// What may be read of files: so much at one time, no more than an allowance in the long run, and of those that turn out
// to be too large so much together. Once that is spent, a file is given a small part of it, of which most are read.
class Effort {
 public:
  // `most`: at one time, in steps of WorkBudget. `comes_again`: after a time comes another one, for which is left what
  // would take too long in vain.
  Effort(std::uint64_t most, bool comes_again);

  // Of the file that is read just now.
  [[nodiscard]] WorkBudget& budget() { return budget_; }
  // A new time begins.
  void renew(std::uint64_t now_ns);

  // `file` is read next. False: not now, because it would be in vain again.
  [[nodiscard]] bool begin(std::uint64_t file);
  enum class Verdict : std::uint8_t {
    fits,
    later,     // it has spent what others had left of this time
    too_large  // for good
  };
  // It has been read.
  [[nodiscard]] Verdict end();

 private:
  std::uint64_t most_;
  std::uint64_t most_in_vain_;       // at one time, the last of it included
  std::uint64_t left_;               // of this time
  std::uint64_t spent_in_vain_ = 0;  // likewise
  Allowance allowance_;
  Allowance in_vain_;
  WorkBudget budget_;
  std::uint64_t file_ = 0;
  std::uint64_t given_ = 0;
  bool is_given_all_ = false;  // that the file may have
  struct Known {
    std::uint64_t sufficed = 0;    // what it took when it was read to the end
    std::uint64_t too_little = 0;  // the largest budget that it spent in vain
  };
  std::unordered_map<std::uint64_t, Known> known_;  // by file
};

}  // namespace profile
