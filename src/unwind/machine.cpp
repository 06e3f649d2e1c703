#include "unwind/machine.h"

#include <elf.h>

#include <cstddef>

#include "abi/unwind.h"

namespace profile {
namespace {

constexpr UnwindMachine machines[] = {
    {.elf_machine = EM_X86_64,
     .sp = 7,
     .fp = 6,
     .extra = 3,
     .unit_shift = UNWIND_X86_64_UNIT_SHIFT,
     .has_link_register = false},
    {.elf_machine = EM_AARCH64,
     .sp = 31,
     .fp = 29,
     .extra = 30,
     .unit_shift = UNWIND_ARM64_UNIT_SHIFT,
     .has_link_register = true},
};

}  // namespace

const UnwindMachine* unwind_machine_of(const ElfFile& file) {
  if (!file.is_64bit()) return nullptr;
  std::uint16_t number = 0;
  if (!file.read_at(offsetof(Elf64_Ehdr, e_machine), std::as_writable_bytes(std::span(&number, 1)))) return nullptr;
  for (const UnwindMachine& machine : machines) {
    if (machine.elf_machine == number) return &machine;
  }
  return nullptr;
}

}  // namespace profile
