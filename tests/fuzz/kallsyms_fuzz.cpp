// Any text as /proc/kallsyms. A name occurs in the text, and starts at or shortly below its address. A lookup of one
// address gives the same name as a lookup of many.
#include "symbol/kallsyms.h"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "../made_elf.h"

namespace {

using namespace profile;

void require(bool holds) {
  if (!holds) std::abort();
}

std::vector<KernelSymbol> resolve(int fd, std::span<const RuntimeAddress> addresses) {
  require(::lseek(fd, 0, SEEK_SET) == 0);
  auto answers = resolve_kernel(fd, addresses);
  require(answers.size() == addresses.size());
  return answers;
}

void check_named(const KernelSymbol& answer, std::uint64_t address, std::string_view text) {
  constexpr std::uint64_t far = 8 << 20;
  require(answer.start <= address && address - answer.start < far);
  require(!answer.name.empty() && answer.name.find_first_of("\n\t") == std::string::npos);
  require(text.find(answer.name) != std::string_view::npos);
  require(!answer.module.empty());
  require(answer.module == "kernel" || text.find("[" + answer.module + "]") != std::string_view::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Fd fd = test::in_memory(text);
  if (!fd) std::abort();
  // The seeds have functions around the addresses in the middle.
  const std::vector<RuntimeAddress> addresses{
      {0}, {1}, {0x10}, {0x1234}, {0xffffffff81000110}, {0xffffffff81000200}, {0xffffffffc0001010}, {UINT64_MAX}};
  const auto answers = resolve(fd.get(), addresses);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const KernelSymbol& answer = answers[i];
    if (answer.unnamed == Unnamed::named) {
      check_named(answer, addresses[i].value, text);
    } else {
      require(answer.unnamed == Unnamed::no_symbol || answer.unnamed == Unnamed::kernel_hidden);
      require(answer.name.empty());
    }
    const KernelSymbol alone = resolve(fd.get(), std::span(addresses).subspan(i, 1))[0];
    require(alone.unnamed == answer.unnamed && alone.name == answer.name && alone.module == answer.module);
    require(alone.start == answer.start);
  }
  require(resolve(fd.get(), {}).empty());
  return 0;
}
