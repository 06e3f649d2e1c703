// Names of symbols. The result is bounded for every name, and a name that is not mangled stays as it is. Names that
// keep libiberty busy too long are stopped by a timer, because demangle() itself has no limit.
#include "demangle/demangle.h"

#include <sanitizer/lsan_interface.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

sigjmp_buf given_up;

// Measures CPU time, so that a busy machine does not matter.
void set_timer(long microseconds) {
  itimerval time{};
  time.it_value.tv_usec = microseconds;
  ::setitimer(ITIMER_PROF, &time, nullptr);
}

// Memory that is in use when the timer stops the demangler is not a leak.
bool ends_soon(std::string_view raw) {
  ::signal(SIGPROF, [](int) { siglongjmp(given_up, 1); });
  __lsan_disable();
  const bool ends = sigsetjmp(given_up, 1) == 0;
  if (ends) {
    set_timer(100'000);
    static_cast<void>(profile::demangle(raw));
    set_timer(0);
  }
  __lsan_enable();
  return ends;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A buffer of exactly this size, so that the address sanitizer finds a read beyond it.
  const std::vector<char> bytes(data, data + size);
  const std::string_view raw(bytes.data(), bytes.size());
  constexpr std::size_t most_bytes = 16384;
  constexpr std::size_t marks_bytes = 16;  // " [clone ]" and "@plt"

  if (!ends_soon(raw)) return 0;
  const std::string name = profile::demangle(raw);
  require(name.size() <= most_bytes + raw.size() + marks_bytes);
  require(raw.empty() || !name.empty());
  if (!raw.starts_with("_Z") && !raw.starts_with("_R")) {
    const std::string_view plain = raw.starts_with('@') ? raw : raw.substr(0, raw.find('@'));
    require(name == plain || name == raw);
  }
  return 0;
}
