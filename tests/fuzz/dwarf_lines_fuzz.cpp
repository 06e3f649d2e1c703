// Debug information: lines, inlined functions, units. Input: an ELF file, which is also its own alternate file, split
// file and package. Every address gets an answer, no chain is longer than allowed, and reading ends soon. The seeds are
// debug files with inlined functions: DWARF 2 to 5, gcc and clang, compressed, after dwz, and with the sections of a
// .dwo or .dwp added.
#include "dwarf/lines.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "support/fd.h"

namespace {

class Itself final : public profile::SplitFiles {
 public:
  explicit Itself(int fd) : fd_(fd) {}
  profile::Fd package(profile::WorkBudget&) override { return profile::Fd(::dup(fd_)); }
  profile::Fd open(const std::string&, std::string&, profile::WorkBudget&) override { return profile::Fd(::dup(fd_)); }

 private:
  int fd_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace profile;
  const Fd fd(::memfd_create("fuzz", MFD_CLOEXEC));
  if (!fd || ::write(fd.get(), data, size) != static_cast<ssize_t>(size)) std::abort();
  std::vector<ElfAddress> addresses;
  // The seeds have their code at 0x1000.
  for (std::uint64_t address = 0x1000; address < 0x1100; address += 5) addresses.push_back({address});
  Itself splits(fd.get());
  const SourceChains chains = read_source_lines(fd.get(), fd.get(), addresses, &splits);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (chains.chain(i).size() > 257) std::abort();
    for (const SourcePosition& position : chains.chain(i)) {
      if (chains.strings().view(position.function).size() > 16384) std::abort();
      if (chains.strings().view(position.file).size() > 16384) std::abort();
    }
  }
  return 0;
}
