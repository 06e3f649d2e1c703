// What differs from machine to machine in the naming of code, for the machines that are known: relocation numbers, and
// how the stubs that a linker makes for calls into other files (the procedure linkage table) look. A new machine is a
// new row in arch.cpp and a function that recognises its stubs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "elf/file.h"

namespace profile {

// Some code of a section of stubs.
struct StubCode {
  std::uint64_t section = 0;  // where the section begins
  std::uint64_t begin = 0;    // address of bytes[0]
  std::span<const std::byte> bytes;
};

// One stub. It jumps through a slot that the dynamic linker fills in by a relocation, or says the number of that
// relocation.
struct PltStub {
  std::uint64_t start = 0;
  std::optional<std::uint64_t> slot;        // address of the slot
  std::optional<std::uint32_t> relocation;  // index into .rela.plt
};

struct Arch {
  std::uint16_t elf_machine;  // e_machine
  std::uint32_t jump_slot;    // r_type of a slot that is filled in on the first call,
  std::uint32_t glob_dat;     // of one that is filled in at the start,
  std::uint32_t irelative;    // and of one that a function of the file itself fills in (r_addend is its address)
  // The stub that `address` lies in; `code` has the section's bytes around it, stub_reach of them on either side where
  // there are so many. nullopt: it is in none, or in one of an unknown kind.
  std::optional<PltStub> (*stub_at)(const StubCode& code, std::uint64_t address);
};

inline constexpr std::uint64_t stub_reach = 32;

// nullptr: a machine that is not known, or a file of its 32-bit relative.
[[nodiscard]] const Arch* arch_of(const ElfFile& file);

}  // namespace profile
