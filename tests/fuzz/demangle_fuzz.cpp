// Names of symbols. However a name was made, demangling ends soon and what comes out is bounded; what is nobody's
// mangled name stays as it is.
#include "symbol/demangle.h"

#include <time.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// Of this thread, so that a busy machine is no finding.
double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Of exactly this size, so that the address sanitizer sees a read beyond it.
  const std::vector<char> bytes(data, data + size);
  const std::string_view raw(bytes.data(), bytes.size());
  constexpr std::size_t most_bytes = 16384;
  constexpr std::size_t marks_bytes = 16;  // " [clone ]" and "@plt"
  // At most three attempts of 5 ms each, and what the sanitizers make of the rest.
  constexpr double most_seconds = 0.5;

  const double before = cpu_seconds();
  const std::string name = profile::demangle(raw);
  require(cpu_seconds() - before < most_seconds);
  require(name.size() <= most_bytes + raw.size() + marks_bytes);
  require(raw.empty() || !name.empty());
  if (!raw.starts_with("_Z") && !raw.starts_with("_R")) {
    const std::string_view plain = raw.starts_with('@') ? raw : raw.substr(0, raw.find('@'));
    require(name == plain || name == raw);
  }
  return 0;
}
