// Reports the quality of names and stacks: frames without a name, by reason, and incomplete user stacks with the
// modules that are probably the cause. Stacks whose end is not known are reported if they have no root function. Reads
// only a symbolised Profile with believable stacks (model/stack_roots.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/profile.h"
#include "model/stack_end.h"

namespace profile {

class FrameReport {
 public:
  // Adds all rows of `profile`. Each frame and stack counts once for each sample that has it.
  void add(const Profile& profile);
  // Adds one row of `profile`. The process and the value of the row do not matter.
  void add(const Profile& profile, const Row& row);
  // Returns lines for the summary, without newlines; empty when there is nothing to report.
  [[nodiscard]] std::vector<std::string> lines() const;

  [[nodiscard]] std::uint64_t frames() const { return frames_; }
  [[nodiscard]] std::uint64_t unnamed(Unnamed reason) const { return unnamed_[static_cast<std::size_t>(reason)]; }
  [[nodiscard]] std::uint64_t user_stacks() const { return ends_.all(); }
  [[nodiscard]] const StackEndCounts& ends() const { return ends_; }
  // The samples whose user stack has an unknown end and no root function.
  [[nodiscard]] std::uint64_t rootless() const { return rootless_; }

 private:
  // Key: module of the outermost frame that can be trusted. Value: samples.
  using Suspects = std::map<std::string, std::uint64_t, std::less<>>;

  void add_unnamed(const Profile& profile, const Row& row, const Frame& frame);
  void add_user_stack(const Profile& profile, const Row& row);
  void add_remedies(std::vector<std::string>& lines) const;
  [[nodiscard]] std::string incomplete_line() const;
  static std::string worst_of(const Suspects& suspects);

  std::uint64_t frames_ = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(Unnamed::count)> unnamed_{};
  StackEndCounts ends_;
  std::uint64_t rootless_ = 0;
  Suspects without_root_;
  Suspects without_cfi_;
  Suspects without_symbol_;                 // by module
  std::string debuginfod_;                  // as RunInfo::debuginfod
  std::map<std::string, Suspects> in_jit_;  // by remedy and then by the name of the process
};

}  // namespace profile
