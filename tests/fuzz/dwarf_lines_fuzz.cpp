// Debug information: lines, inlined functions, units. Input: an ELF file, which serves as its own file of common parts
// too. Whatever it says, there is an answer for each address, no chain is longer than allowed, and the end comes soon.
// The seeds are debug files of a function with others inlined: versions 2 to 5, gcc and clang, compressed, after dwz.
#include "symbol/dwarf_lines.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "support/fd.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace profile;
  const Fd fd(::memfd_create("fuzz", MFD_CLOEXEC));
  if (!fd || ::write(fd.get(), data, size) != static_cast<ssize_t>(size)) std::abort();
  std::vector<ElfAddress> addresses;
  // The seeds have their code at 0x1000.
  for (std::uint64_t address = 0x1000; address < 0x1100; address += 5) addresses.push_back({address});
  const SourceChains chains = read_source_lines(fd.get(), fd.get(), addresses);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (chains.chain(i).size() > 257) std::abort();
    for (const SourcePosition& position : chains.chain(i)) {
      if (chains.strings().view(position.function).size() > 16384) std::abort();
      if (chains.strings().view(position.file).size() > 16384) std::abort();
    }
  }
  return 0;
}
