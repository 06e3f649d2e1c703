// Limits how much is read from other users' files at one time and in the long run. A user who makes many large files,
// or who rewrites one again and again, must not delay what others get or cost more than a small part of a CPU.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "support/work_budget.h"

namespace profile {

// A budget that refills with time.
class Allowance {
 public:
  // A spent budget is full again after `whole_after_s` seconds.
  Allowance(std::uint64_t most, double whole_after_s) : most_(most), whole_after_s_(whole_after_s), budget_(most) {}

  [[nodiscard]] WorkBudget& budget() { return budget_; }
  [[nodiscard]] std::uint64_t left() const { return budget_.left(); }
  // Whether nothing is known of it that a new one would not have.
  [[nodiscard]] bool is_fresh() const { return budget_.left() == most_; }
  void renew(std::uint64_t now_ns);

 private:
  std::uint64_t most_;
  double whole_after_s_;
  WorkBudget budget_;
  std::uint64_t renewed_ns_ = 0;
};

// Gives each file that is read a budget. Three limits apply: the work at one time, the work in the long run, and the
// work for files that turn out too large, which is wasted. When the third is spent, a file still gets a small share,
// which is enough for most files.
class Effort {
 public:
  // `most`: the limit at one time, in steps of WorkBudget. `is_repeated`: another time follows, so each time spends
  // only a part of it on files that are too large.
  Effort(std::uint64_t most, bool is_repeated);

  // The budget of the file between begin() and end().
  [[nodiscard]] WorkBudget& budget() { return budget_; }
  // Starts a new time.
  void renew(std::uint64_t now_ns);

  // Whether nothing is known of it that a new one would not have, except for files.
  [[nodiscard]] bool is_fresh() const { return allowance_.is_fresh() && wasteful_.is_fresh(); }

  // `file` is read next, with a budget of at most `at_most`. False: do not read it now; its budget is spent, or it
  // would be too small again.
  [[nodiscard]] bool begin(std::uint64_t file, std::uint64_t at_most = UINT64_MAX);
  enum class Verdict : std::uint8_t {
    fits,
    later,     // it spent all that the other files of this time had left
    too_large  // do not try it again
  };
  // The file of begin() has been read.
  [[nodiscard]] Verdict end();

 private:
  std::uint64_t most_;
  std::uint64_t most_wasted_;  // limit of wasted_, checked before a file is begun
  std::uint64_t left_;         // of most_, in this time
  std::uint64_t wasted_ = 0;   // in this time
  Allowance allowance_;
  Allowance wasteful_;
  WorkBudget budget_;
  std::uint64_t file_ = 0;
  std::uint64_t given_ = 0;
  bool is_given_all_ = false;  // whether the file got all that it may have, and not only the rest of this time
  struct Known {
    std::uint64_t needed = 0;        // the work it took when it was read to the end
    std::uint64_t insufficient = 0;  // the largest budget that was too small for it
  };
  std::unordered_map<std::uint64_t, Known> known_;  // by file
};

// An Effort for each owner of files (CodeFile::owner()): what one user's files cost is missing for no other user. All
// users but root together have a limit too, which leaves each less than those before.
class OwnerEfforts {
 public:
  // Both are those of each Effort.
  OwnerEfforts(std::uint64_t most, bool is_repeated);

  // These are as in Effort.
  [[nodiscard]] WorkBudget& budget() { return budget_; }
  void renew(std::uint64_t now_ns);
  [[nodiscard]] bool begin(std::uint64_t owner, std::uint64_t file);
  [[nodiscard]] Effort::Verdict end();

 private:
  Effort& effort_of(std::uint64_t owner);

  std::uint64_t most_;
  bool is_repeated_;
  std::uint64_t renewed_ns_ = 0;
  Allowance all_;  // of all owners but root
  std::unordered_map<std::uint64_t, Effort> efforts_;
  Effort* effort_ = nullptr;  // of the file of begin()
  bool is_of_root_ = false;
  std::uint64_t given_ = 0;
  WorkBudget budget_;
};

// An Allowance for each owner of files, for files that grow and are read again and again. All users but root together
// have a limit too, which leaves each less than those before.
class OwnerAllowances {
 public:
  // Both are those of each Allowance.
  OwnerAllowances(std::uint64_t most, double whole_after_s);

  void renew(std::uint64_t now_ns);
  // A file of the owner is read next; end() charges what was taken from budget() until then.
  void begin(std::uint64_t owner);
  [[nodiscard]] WorkBudget& budget() { return budget_; }
  void end();

 private:
  std::uint64_t most_;
  double whole_after_s_;
  Allowance all_;  // of all owners but root
  std::unordered_map<std::uint64_t, Allowance> allowances_;
  Allowance* allowance_ = nullptr;  // of the owner of begin()
  bool is_of_root_ = false;
  std::uint64_t given_ = 0;
  WorkBudget budget_;
};

}  // namespace profile
