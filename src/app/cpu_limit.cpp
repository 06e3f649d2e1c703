#include "app/cpu_limit.h"

#include <ctime>

#include <algorithm>
#include <cmath>

#include "children/own_processes.h"
#include "support/clock.h"

namespace profile {
namespace {

// The first tables and names of a run cost much, and once.
constexpr std::uint64_t ignored_at_begin_ns = 5 * ns_per_s;
// What is sent to servers costs something every ten seconds.
constexpr std::uint64_t decide_every_ns = 10 * ns_per_s;
// With twice the samples it must still be below the limit, or it would go to and fro.
constexpr double low_share = 0.4;

std::optional<std::uint64_t> time_of(clockid_t clock) {
  timespec time{};
  if (::clock_gettime(clock, &time) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(time.tv_sec) * ns_per_s + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

std::uint32_t CpuLimit::look(std::uint64_t now_ns, std::uint64_t cost_ns) {
  const Look now{.at_ns = now_ns, .cost_ns = cost_ns};
  if (!began_) began_ = now;
  if (now_ns - began_->at_ns < ignored_at_begin_ns) return ticks_;
  if (!before_) before_ = now;
  const std::uint64_t passed_ns = now_ns - before_->at_ns;
  if (passed_ns < decide_every_ns) return ticks_;
  const std::uint64_t spent_ns = cost_ns - std::min(cost_ns, before_->cost_ns);
  const double share = static_cast<double>(spent_ns) / static_cast<double>(passed_ns);
  before_ = now;
  if (share > limit_) {
    const double wanted = std::ceil(ticks_ * std::max(2.0, share / limit_));
    ticks_ = static_cast<std::uint32_t>(std::min<double>(wanted, most_ticks));
  } else if (share < low_share * limit_) {
    ticks_ = std::max(1U, ticks_ / 2);
  }
  return ticks_;
}

std::uint64_t OwnCpuTime::own_ns() { return time_of(CLOCK_PROCESS_CPUTIME_ID).value_or(0); }

std::uint64_t OwnCpuTime::children_ns() {
  std::map<pid_t, std::uint64_t> running;
  for (const pid_t pid : own_processes()) {
    clockid_t clock{};
    if (::clock_getcpuclockid(pid, &clock) != 0) continue;
    const auto known = of_child_.find(pid);
    const std::uint64_t before_ns = known == of_child_.end() ? 0 : known->second;
    const std::uint64_t time_ns = time_of(clock).value_or(before_ns);
    // Another child may have the number by now.
    if (time_ns < before_ns) of_ended_ns_ += before_ns;
    running[pid] = time_ns;
    if (known != of_child_.end()) of_child_.erase(known);
  }
  for (const auto& [pid, time_ns] : of_child_) of_ended_ns_ += time_ns;
  of_child_ = std::move(running);
  std::uint64_t sum_ns = of_ended_ns_;
  for (const auto& [pid, time_ns] : of_child_) sum_ns += time_ns;
  return sum_ns;
}

}  // namespace profile
