// Whole ELF files: headers, notes, segments and symbol tables. Input: the file; run.sh compiles the seeds. Every
// address gets a valid answer, which is the same alone and among others.
#include "elf/symbols.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "../made_elf.h"
#include "elf/symbol_table.h"

namespace {

using namespace profile;

void require(bool holds) {
  if (!holds) std::abort();
}

std::vector<Symbol> resolve(const ElfFile& file, std::span<const ElfAddress> addresses) {
  std::vector<Symbol> answers(addresses.size());
  resolve_symbols(file, addresses, answers);
  return answers;
}

void check_symbols(const ElfFile& file) {
  std::vector<ElfAddress> addresses{{0}, {1}};
  // The seeds have their code here.
  for (std::uint64_t address = 0x1000; address < 0x1100; address += 5) addresses.push_back({address});
  addresses.push_back({UINT64_MAX});
  const std::vector<Symbol> answers = resolve(file, addresses);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Symbol& answer = answers[i];
    if (answer.unnamed == Unnamed::named) {
      require(!answer.name.empty() && answer.name.size() <= ElfNameReader::max_name_bytes);
      require(answer.name.find('\0') == std::string::npos);
      require(answer.start <= addresses[i].value);
    } else {
      require(answer.unnamed == Unnamed::no_symbol || answer.unnamed == Unnamed::file_malformed);
      require(answer.name.empty());
    }
    if (i % 11 != 0) continue;
    const Symbol alone = resolve(file, std::span(addresses).subspan(i, 1))[0];
    require(alone.unnamed == answer.unnamed && alone.name == answer.name && alone.start == answer.start);
  }
}

void check_segments(const ElfFile& file) {
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{0x340}, file.size_bytes(), UINT64_MAX}) {
    const auto address = file.address_of({offset});
    if (!address) continue;
    bool explained = false;
    for (const ElfSegment& segment : file.segments()) {
      if (segment.type != PT_LOAD) continue;
      explained = explained || address->value - offset == segment.address - segment.offset;
    }
    require(explained);
  }
}

void check_build_id(const ElfFile& file) {
  const std::string id = file.build_id();
  require(id.size() <= 128 && id.size() % 2 == 0);
  require(id.find_first_not_of("0123456789abcdef") == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Fd fd = test::in_memory(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!fd) std::abort();
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  require(static_cast<bool>(file) == why.empty());
  if (!file) return 0;
  check_symbols(*file);
  check_segments(*file);
  check_build_id(*file);
  return 0;
}
