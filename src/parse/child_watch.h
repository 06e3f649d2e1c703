// Whether a child still gets on with what it was asked, or hangs: told by the kernel's own count of its time, so that a
// busy machine, which lets it wait for a CPU, is not held against it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace profile {

class ChildWatch {
 public:
  enum class Finding : std::uint8_t {
    works,
    stuck,    // it waits for something that does not come, or has waited for too long in all
    too_long  // it computes without an end
  };

  // The steps that a file may cost are counted (WorkBudget) and take a second or two.
  static constexpr std::uint64_t most_running_ns = 20'000'000'000;
  static constexpr std::uint64_t most_ns_a_step = 20;  // where there may be more of them

  // A read from a disk takes milliseconds, from one that spins up or a server far away perhaps half a second.
  static constexpr std::uint64_t most_still_ns = 700'000'000;

  // What it is asked for takes no more of a CPU than `most_ns`, and it does not stand still for `still_ns`.
  explicit ChildWatch(pid_t child, std::uint64_t most_ns = most_running_ns, std::uint64_t still_ns = most_still_ns);
  [[nodiscard]] Finding look();

 private:
  struct Times {
    std::uint64_t ran_ns = 0;
    std::uint64_t waited_for_cpu_ns = 0;
  };
  [[nodiscard]] std::optional<Times> times() const;

  pid_t child_;
  std::uint64_t most_ns_;
  std::uint64_t still_ns_;
  std::uint64_t start_ns_;
  Times at_start_;
  std::uint64_t changed_ns_;  // when it was last seen to have got on
  std::uint64_t looked_ns_;
  Times last_;
};

}  // namespace profile
