// Linkage stubs for either known machine: code, relocations, symbols and strings are each a quarter of the input.
#include "elf/plt_symbols.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "../made_elf.h"

namespace {

constexpr std::uint64_t plt_address = 0x1000;

std::string quarter(std::string_view input, std::size_t which) {
  return std::string(input.substr(which * (input.size() / 4), input.size() / 4));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace profile;
  if (size == 0) return 0;
  const std::uint16_t machine = (data[0] & 1) != 0 ? EM_X86_64 : EM_AARCH64;
  const char* const name = (data[0] & 2) != 0 ? ".plt" : ".plt.got";
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string code = quarter(input, 0);
  const Fd fd = test::in_memory(test::made_elf(
      {{.name = ".dynsym",
        .content = quarter(input, 2),
        .type = SHT_DYNSYM,
        .flags = SHF_ALLOC,
        .link = 2,
        .entry_bytes = sizeof(Elf64_Sym)},
       {.name = ".dynstr", .content = quarter(input, 3), .type = SHT_STRTAB, .flags = SHF_ALLOC},
       {.name = ".rela.plt", .content = quarter(input, 1), .type = SHT_RELA, .flags = SHF_ALLOC, .link = 1},
       {.name = name, .content = code, .flags = SHF_ALLOC | SHF_EXECINSTR, .address = plt_address}},
      machine));
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  if (!file) std::abort();
  std::vector<ElfAddress> addresses;
  for (std::uint64_t at = 0; at < code.size() && at < 4096; ++at) addresses.push_back({plt_address + at});
  std::vector<Symbol> answers(addresses.size());
  resolve_stubs(*file, addresses, answers);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Symbol& answer = answers[i];
    if (answer.unnamed == Unnamed::pending) std::abort();
    if (answer.unnamed != Unnamed::named) continue;
    if (!answer.name.ends_with("@plt") || answer.name.size() == 4) std::abort();
    if (answer.start > addresses[i].value || answer.start < plt_address) std::abort();
  }
  return 0;
}
