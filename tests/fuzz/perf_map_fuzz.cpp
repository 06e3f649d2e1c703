// Any bytes as a perf map or a jitdump: no crash, no hang, and answers only for the requested addresses. A map that is
// read while it grows gives the same answers.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "parse/jit_map.h"
#include "support/fd.h"

namespace {

using namespace profile;

const std::vector<RuntimeAddress> addresses{{0}, {0x100}, {0x10f}, {0x7f0000000000}, {UINT64_MAX}};

std::vector<JitSymbol> resolve(JitMap& map, const Fd& file) {
  std::vector<JitSymbol> answers(addresses.size());
  WorkBudget budget(UINT64_MAX);
  map.resolve(file.get(), addresses, answers, budget);
  return answers;
}

bool write_all(const Fd& file, const std::uint8_t* data, std::size_t size) {
  return ::write(file.get(), data, size) == static_cast<ssize_t>(size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Fd file(::memfd_create("fuzz", MFD_CLOEXEC));
  JitMap grown;
  if (!write_all(file, data, size / 2)) return 0;
  resolve(grown, file);
  if (!write_all(file, data + size / 2, size - size / 2)) return 0;
  const std::vector<JitSymbol> later = resolve(grown, file);
  JitMap whole;
  const std::vector<JitSymbol> answers = resolve(whole, file);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].unnamed != later[i].unnamed || answers[i].name != later[i].name) std::abort();
    if (answers[i].file != later[i].file || answers[i].line != later[i].line) std::abort();
    if (answers[i].unnamed != Unnamed::named) continue;
    if (answers[i].name.empty() || answers[i].start > addresses[i].value) std::abort();
  }
  return 0;
}
