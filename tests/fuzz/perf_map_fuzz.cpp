// Any bytes as a perf map: no crash, no hang, and answers only for what was asked.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "support/fd.h"
#include "symbol/perf_map.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace profile;
  const Fd file(::memfd_create("fuzz", MFD_CLOEXEC));
  if (::write(file.get(), data, size) != static_cast<ssize_t>(size)) return 0;
  const std::vector<RuntimeAddress> addresses{{0}, {0x100}, {0x10f}, {0x7f0000000000}, {UINT64_MAX}};
  std::vector<Symbol> answers(addresses.size());
  resolve_perf_map(file.get(), addresses, answers);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].unnamed != Unnamed::named) continue;
    if (answers[i].name.empty() || answers[i].start > addresses[i].value) std::abort();
  }
  return 0;
}
