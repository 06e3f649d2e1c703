#include "app/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

#include "support/clock.h"
#include "support/end_request.h"
#include "support/error.h"
#include "support/signals.h"

namespace profile {
namespace {

constexpr std::uint64_t same_signal_ns = 250'000'000;

void take_late(int number) noexcept {
  const std::uint64_t first_ns = end_asked_ns();
  if (first_ns == 0) note_end_asked();
  if (first_ns == 0 || monotonic_ns() - first_ns < same_signal_ns) return;
  ::signal(number, SIG_DFL);
  ::raise(number);  // takes effect when this handler returns
}

}  // namespace

Signals::Signals(bool hup_reloads) : set_(end_signals()), hup_reloads_(hup_reloads) {
  for (const int number : {SIGCHLD, SIGWINCH}) ::sigaddset(&set_, number);
  if (::sigprocmask(SIG_BLOCK, &set_, nullptr) != 0) throw system_error("cannot block signals", errno);
  fd_ = Fd(::signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) throw system_error("cannot receive signals", errno);
}

Signals::Received Signals::next() {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return {};
  const auto number = static_cast<int>(info.ssi_signo);
  const bool is_end = number != SIGCHLD && number != SIGWINCH && !(number == SIGHUP && hup_reloads_);
  if (is_end) note_end_asked();
  return {.number = static_cast<int>(info.ssi_signo), .from_terminal = info.ssi_code == SI_KERNEL};
}

void Signals::let_second_kill() {
  struct sigaction action {};
  action.sa_handler = take_late;
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
