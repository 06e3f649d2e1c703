// What of a machine matters to the description of its frames. Numbers of registers are DWARF's.
#pragma once

#include <cstdint>

#include "elf/file.h"

namespace profile {

struct UnwindMachine {
  std::uint16_t elf_machine;
  std::uint8_t sp;
  std::uint8_t fp;
  std::uint8_t extra;       // the third register that is kept track of, see unwind_rule::extra
  std::uint8_t unit_shift;  // the shortest instruction has 1 << unit_shift bytes
  bool has_link_register;   // the return address is in a register until it is saved
};

// nullptr: one that is not known, or the 32-bit relative of one that is.
[[nodiscard]] const UnwindMachine* unwind_machine_of(const ElfFile& file);

}  // namespace profile
