#include "app/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "support/clock.h"
#include "support/error.h"
#include "support/signals.h"

namespace profile {
namespace {

constexpr std::uint64_t same_signal_ns = 250'000'000;
std::atomic<std::uint64_t> first_signal_ns{0};

void die_of(int number) noexcept {
  if (monotonic_ns() - first_signal_ns.load() < same_signal_ns) return;
  ::signal(number, SIG_DFL);
  ::raise(number);  // takes effect when this handler returns
}

}  // namespace

Signals::Signals() : set_(end_signals()) {
  for (const int number : {SIGCHLD, SIGWINCH}) ::sigaddset(&set_, number);
  if (::sigprocmask(SIG_BLOCK, &set_, nullptr) != 0) throw system_error("cannot block signals", errno);
  fd_ = Fd(::signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) throw system_error("cannot receive signals", errno);
}

Signals::Received Signals::next() {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return {};
  return {.number = static_cast<int>(info.ssi_signo), .from_terminal = info.ssi_code == SI_KERNEL};
}

void Signals::let_next_kill() {
  if (first_signal_ns.load() != 0) return;
  first_signal_ns = monotonic_ns();
  struct sigaction action {};
  action.sa_handler = die_of;
  action.sa_flags = SA_RESTART;
  sigset_t deadly;
  ::sigemptyset(&deadly);
  for (const int number : {SIGINT, SIGTERM}) {
    ::sigaction(number, &action, nullptr);
    ::sigaddset(&deadly, number);
  }
  ::sigprocmask(SIG_UNBLOCK, &deadly, nullptr);
}

}  // namespace profile
