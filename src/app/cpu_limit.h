// Keeps what the profiler costs below the user's limit, by taking fewer of the ticks. A sample then stands for several.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>

namespace profile {

class CpuLimit {
 public:
  static constexpr std::uint32_t most_ticks = 1024;

  // `percent`: of one CPU, more than 0.
  explicit CpuLimit(double percent) : limit_(percent / 100) {}

  // Call it about once a second with what the profiler has cost since it began. Returns how many ticks a sample stands
  // for from now on, at most `most_ticks`.
  std::uint32_t look(std::uint64_t now_ns, std::uint64_t cost_ns);

 private:
  struct Look {
    std::uint64_t at_ns = 0;
    std::uint64_t cost_ns = 0;
  };

  double limit_;
  std::optional<Look> began_;
  std::optional<Look> before_;  // at the last decision
  std::uint32_t ticks_ = 1;
};

// The CPU time of this process and of its children, also of those that have ended since they were last looked at. In
// nanoseconds.
class OwnCpuTime {
 public:
  [[nodiscard]] std::uint64_t total_ns() { return own_ns() + children_ns(); }
  [[nodiscard]] static std::uint64_t own_ns();
  [[nodiscard]] std::uint64_t children_ns();

 private:
  std::map<pid_t, std::uint64_t> of_child_;  // those that run
  std::uint64_t of_ended_ns_ = 0;
};

}  // namespace profile
