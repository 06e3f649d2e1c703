#include "support/signals.h"

#include <cstddef>
#include <initializer_list>

namespace profile {
namespace {

constexpr int numbers[] = {SIGPIPE, SIGXFSZ};
struct sigaction original_actions[2];
struct sigaction original_child_action;
bool are_ignored = false;

}  // namespace

sigset_t end_signals() noexcept {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM}) ::sigaddset(&set, number);
  struct sigaction hangup {};
  if (::sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) ::sigaddset(&set, SIGHUP);
  return set;
}

void hold_end_signals() noexcept {
  const sigset_t set = end_signals();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
}

void settle_signals() noexcept {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  for (std::size_t i = 0; i < 2; ++i) ::sigaction(numbers[i], &ignore, &original_actions[i]);
  // Whoever started us may ignore it. The kernel would then keep no child's number and status until we ask.
  struct sigaction keep {};
  keep.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &keep, &original_child_action);
  are_ignored = true;
}

void restore_signals() noexcept {
  if (!are_ignored) return;
  for (std::size_t i = 0; i < 2; ++i) ::sigaction(numbers[i], &original_actions[i], nullptr);
  ::sigaction(SIGCHLD, &original_child_action, nullptr);
}

}  // namespace profile
