#include "support/write_signals.h"

#include <signal.h>

#include <cstddef>

namespace profile {
namespace {

constexpr int numbers[] = {SIGPIPE, SIGXFSZ};
struct sigaction original[2];
bool are_ignored = false;

}  // namespace

void ignore_write_signals() noexcept {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  for (std::size_t i = 0; i < 2; ++i) ::sigaction(numbers[i], &ignore, &original[i]);
  are_ignored = true;
}

void restore_write_signals() noexcept {
  if (!are_ignored) return;
  for (std::size_t i = 0; i < 2; ++i) ::sigaction(numbers[i], &original[i], nullptr);
}

}  // namespace profile
