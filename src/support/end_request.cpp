#include "support/end_request.h"

#include <signal.h>

#include <algorithm>
#include <atomic>

#include "support/clock.h"
#include "support/signals.h"

namespace profile {
namespace {

constexpr std::uint64_t most_pending_ns = 500'000'000;

// Times of CLOCK_MONOTONIC; 0: not yet.
std::atomic<std::uint64_t> asked_ns{0};
std::atomic<std::uint64_t> report_ns{0};
std::atomic<std::uint64_t> patience_ns{0};
std::atomic<std::uint64_t> pending_ns{0};

bool is_signal_pending() noexcept {
  sigset_t pending;
  if (::sigpending(&pending) != 0) return false;
  const sigset_t ends = end_signals();
  return std::ranges::any_of(std::initializer_list<int>{SIGINT, SIGTERM, SIGHUP}, [&](int number) {
    return ::sigismember(&ends, number) == 1 && ::sigismember(&pending, number) == 1;
  });
}

}  // namespace

void note_end_asked() noexcept {
  std::uint64_t none = 0;
  asked_ns.compare_exchange_strong(none, monotonic_ns());
}

std::uint64_t end_asked_ns() noexcept { return asked_ns; }

void note_last_report(std::chrono::milliseconds patience) noexcept {
  report_ns = monotonic_ns();
  patience_ns = static_cast<std::uint64_t>(std::chrono::nanoseconds(patience).count());
}

bool is_end_pressing() noexcept {
  const std::uint64_t now_ns = monotonic_ns();
  if (asked_ns != 0 && report_ns != 0 && now_ns > std::max<std::uint64_t>(asked_ns, report_ns) + patience_ns) {
    return true;
  }
  if (!is_signal_pending()) {
    pending_ns = 0;
    return false;
  }
  if (pending_ns == 0) pending_ns = now_ns;
  return now_ns - pending_ns > most_pending_ns;
}

}  // namespace profile
