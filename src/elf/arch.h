// What differs between machines when code is named: relocation numbers, and the form of the stubs that a linker makes
// for calls into other files (the procedure linkage table). A new machine needs a new row in arch.cpp and a function
// that recognises its stubs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "elf/file.h"

namespace profile {

// A piece of code from a section of stubs.
struct StubCode {
  std::uint64_t section = 0;  // where the section begins
  std::uint64_t begin = 0;    // address of bytes[0]
  std::span<const std::byte> bytes;
};

// One stub. It jumps through a slot that the dynamic linker fills in by a relocation, or it has the number of that
// relocation.
struct PltStub {
  std::uint64_t start = 0;
  std::optional<std::uint64_t> slot;        // address of the slot
  std::optional<std::uint32_t> relocation;  // index into .rela.plt
};

struct Arch {
  std::uint16_t elf_machine;  // e_machine
  std::uint32_t jump_slot;    // r_type of the relocation for a slot that is filled in on the first call
  std::uint32_t glob_dat;     // the same for a slot that is filled in at the start
  std::uint32_t irelative;    // the same for a slot that a function of the file fills in (r_addend is its address)
  // The stub that `address` lies in. `code` has the section's bytes around it, stub_reach of them on each side if there
  // are so many. nullopt: the address lies in no stub, or in an unknown kind of stub.
  std::optional<PltStub> (*stub_at)(const StubCode& code, std::uint64_t address);
};

inline constexpr std::uint64_t stub_reach = 32;

// nullptr: the machine is not known, or it is a 32-bit file.
[[nodiscard]] const Arch* arch_of(const ElfFile& file);

}  // namespace profile
