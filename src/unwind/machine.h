// The facts of a machine that the descriptions of its frames depend on. Register numbers are DWARF's.
#pragma once

#include <cstdint>

#include "elf/file.h"

namespace profile {

struct UnwindMachine {
  std::uint16_t elf_machine;
  std::uint8_t sp;
  std::uint8_t fp;
  std::uint8_t extra;       // the third register that is tracked, see unwind_rule::extra
  std::uint8_t unit_shift;  // the shortest instruction has 1 << unit_shift bytes
  bool has_link_register;   // a call leaves the return address in a register; the function saves it later
};

// nullptr: an unknown machine, or 32-bit code.
[[nodiscard]] const UnwindMachine* unwind_machine_of(const ElfFile& file);

}  // namespace profile
