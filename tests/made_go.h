// Builds the table of functions of a Go program (.gopclntab), in the forms since Go 1.16.
#pragma once

#include <string>
#include <vector>

#include "made_elf.h"

namespace profile::test {

struct MadeGoFunction {
  std::string name;
  std::uint64_t start = 0;  // ELF address; it reaches to the start of the next one
};

// `end`: of the last function. `magic`: 0xfffffff1 and 0xfffffff0 have 32-bit offsets, 0xfffffffa addresses.
inline std::string made_go_functions(const std::vector<MadeGoFunction>& functions, std::uint64_t end,
                                     std::uint32_t magic = 0xfffffff1) {
  const bool has_offsets = magic != 0xfffffffa;
  const std::uint64_t text = functions.empty() ? 0 : functions.front().start;
  const auto number = [&](std::uint64_t value) {
    return has_offsets ? bytes_of(static_cast<std::uint32_t>(value)) : bytes_of(value);
  };
  std::string names(1, '\0');
  std::string entries;
  std::string records;
  const std::size_t entry_bytes = number(0).size();
  const std::size_t entries_bytes = (2 * functions.size() + 1) * entry_bytes;
  for (const MadeGoFunction& function : functions) {
    const std::uint64_t start = has_offsets ? function.start - text : function.start;
    entries += number(start) + number(entries_bytes + records.size());
    records += number(start) + bytes_of(static_cast<std::uint32_t>(names.size())) + std::string(32, '\0');
    names += function.name + '\0';
  }
  entries += number(has_offsets ? end - text : end);
  const std::uint64_t header_bytes = 8 + 8 * (has_offsets ? 8 : 7);
  std::string made = bytes_of(magic) + std::string(2, '\0') + "\1\10";
  made += bytes_of(std::uint64_t{functions.size()}) + bytes_of(std::uint64_t{0});
  if (has_offsets) made += bytes_of(text);
  made += bytes_of(header_bytes);  // the names
  for (int table = 0; table < 4; ++table) made += bytes_of(header_bytes + names.size());
  return made + names + entries + records;
}

}  // namespace profile::test
