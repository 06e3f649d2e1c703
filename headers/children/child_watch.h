// Tells whether a child still makes progress with its question, or hangs. It uses the kernel's own count of the child's
// time, so that the child is not blamed when a busy machine lets it wait for a CPU.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "support/fd.h"

namespace profile {

// What a child has used of the CPUs, as the kernel counts it. Its file is opened once, since most questions are
// answered in less time than opening it takes, and it never becomes the file of another process.
class ChildTimes {
 public:
  struct Times {
    std::uint64_t ran_ns = 0;
    std::uint64_t waited_for_cpu_ns = 0;
    friend bool operator==(const Times&, const Times&) = default;
  };
  explicit ChildTimes(pid_t child);
  [[nodiscard]] pid_t child() const { return child_; }
  // nullopt: the child is gone, or the kernel does not count.
  [[nodiscard]] std::optional<Times> read() const;

 private:
  pid_t child_;
  Fd schedstat_;
};

class ChildWatch {
 public:
  enum class Finding : std::uint8_t {
    works,
    stuck,    // it waits for something that does not come, or it has waited too long in all
    too_long  // it computes without an end
  };

  // How often to call look() while the answer does not come.
  static constexpr std::chrono::milliseconds look_every{100};

  // The steps that a file may cost are counted (WorkBudget) and take a second or two.
  static constexpr std::uint64_t most_running_ns = 20'000'000'000;
  static constexpr std::uint64_t most_ns_a_step = 20;  // where the budget has more steps

  // A read from a disk takes milliseconds. From a disk that spins up, or a server far away, it takes perhaps half a
  // second.
  static constexpr std::uint64_t most_still_ns = 700'000'000;

  // The question may take at most `most_ns` of a CPU, and the child may stand still for at most `still_ns`. `child`
  // must outlive this.
  explicit ChildWatch(const ChildTimes& child, std::uint64_t most_ns = most_running_ns,
                      std::uint64_t still_ns = most_still_ns);
  [[nodiscard]] Finding look();
  // So much time since the last look was not the child's: it waited for this process.
  void excuse(std::uint64_t ns);
  // From now on it may take `most_ns` of a CPU; what it has waited so far still counts.
  void limit_running(std::uint64_t most_ns);
  // How long it has run on a CPU since this watch began; as of the last look().
  [[nodiscard]] std::uint64_t ran_ns() const { return last_.ran_ns - at_start_.ran_ns; }
  // The same with the time in which it waited for other things than a CPU.
  [[nodiscard]] std::uint64_t took_ns() const;

 private:
  using Times = ChildTimes::Times;

  const ChildTimes* child_;
  std::uint64_t most_ns_;
  std::uint64_t still_ns_;
  std::uint64_t start_ns_;
  Times at_start_;
  std::uint64_t changed_ns_;  // when it was last seen to make progress
  std::uint64_t looked_ns_;
  Times last_;
};

}  // namespace profile
