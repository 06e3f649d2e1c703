#include "children/child_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string>

#include "children/patience.h"
#include "support/clock.h"

namespace profile {
namespace {

// The limit for all waiting of one question together. Reading over a slow network is not worth more.
constexpr std::uint64_t most_waiting_ns = 2'000'000'000;

// The limit from one look to the next. If it takes longer, the machine and the child stood still, or look() was not
// called; the excess is not counted.
constexpr std::uint64_t between_looks_ns = 200'000'000;

}  // namespace

ChildTimes::ChildTimes(pid_t child)
    : child_(child),
      schedstat_(::open(("/proc/" + std::to_string(child) + "/schedstat").c_str(), O_RDONLY | O_CLOEXEC)) {}

std::optional<ChildTimes::Times> ChildTimes::read() const {
  char text[128];
  const ssize_t size = ::pread(schedstat_.get(), text, sizeof text - 1, 0);
  if (size <= 0) return std::nullopt;
  text[size] = 0;
  Times times;
  if (std::sscanf(text, "%" SCNu64 " %" SCNu64, &times.ran_ns, &times.waited_for_cpu_ns) != 2) return std::nullopt;
  return times;
}

ChildWatch::ChildWatch(const ChildTimes& child, std::uint64_t most_ns, std::uint64_t still_ns)
    : child_(&child),
      most_ns_(most_ns),
      still_ns_(still_ns),
      start_ns_(monotonic_ns()),
      at_start_(child.read().value_or(Times{})),
      changed_ns_(start_ns_),
      looked_ns_(start_ns_),
      last_(at_start_) {}

void ChildWatch::excuse(std::uint64_t ns) {
  start_ns_ += ns;
  changed_ns_ += ns;
  looked_ns_ += ns;
}

ChildWatch::Finding ChildWatch::look() {
  const std::uint64_t now = monotonic_ns();
  if (now - looked_ns_ > between_looks_ns) {
    start_ns_ += now - looked_ns_ - between_looks_ns;
    changed_ns_ += now - looked_ns_ - between_looks_ns;
  }
  looked_ns_ = now;
  const Times found = child_->read().value_or(last_);
  if (found != last_) changed_ns_ = now;
  last_ = found;
  const std::uint64_t ran = found.ran_ns - at_start_.ran_ns;
  const std::uint64_t accounted = ran + found.waited_for_cpu_ns - at_start_.waited_for_cpu_ns;
  const std::uint64_t waited = now - start_ns_ > accounted ? now - start_ns_ - accounted : 0;
  if (ran > most_ns_) return Finding::too_long;
  const std::uint64_t most_waited = std::max(most_waiting_ns, still_ns_);
  const bool is_still = now - changed_ns_ > still_ns_;
  if (waited <= still_ns_ || !(is_still || waited > most_waited)) return Finding::works;
  // A child that waited for a CPU may have got it since its counts were read.
  const auto has_run_since = [&] { return child_->read().value_or(last_) != last_; };
  if (!waits_for_cpu(child_->child()) && !(is_still && has_run_since())) return Finding::stuck;
  // The kernel counts the time that the child waits for a CPU only when it gets one. So what may be missing is only the
  // time since its counts changed: a hostile child can be ready to run at every look.
  const std::uint64_t uncounted = now - changed_ns_ + between_looks_ns;
  return waited > most_waited + uncounted ? Finding::stuck : Finding::works;
}

std::uint64_t ChildWatch::took_ns() const {
  const std::uint64_t all = looked_ns_ - start_ns_;
  return all - std::min(all, last_.waited_for_cpu_ns - at_start_.waited_for_cpu_ns);
}

void ChildWatch::limit_running(std::uint64_t most_ns) {
  most_ns_ = child_->read().value_or(last_).ran_ns - at_start_.ran_ns + most_ns;
}

}  // namespace profile
