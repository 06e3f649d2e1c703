// What a source of names says about an address. Such a source gets an ElfFile and sorted addresses, and gives a symbol
// or a reason for each: resolve_symbols(), resolve_stubs(). It opens nothing, follows no path and knows no process,
// because another user may have written what it reads, and it runs in the sandboxed parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "elf/valid_range.h"
#include "model/profile.h"

namespace profile {

struct Symbol {
  std::string name;  // as the file spells it (mangled); empty when unnamed
  // Its first address, counted as the given addresses are. Without a name, that of its function; 0: unknown.
  std::uint64_t start = 0;
  Unnamed unnamed = Unnamed::pending;
  // In ELF files: the addresses around the given one that have the same answer. Each source that is asked narrows it.
  ValidRange valid_range = {};
};

// A kernel symbol also has the name of its module: "kernel", "nf_tables", "bpf".
struct KernelSymbol : Symbol {
  std::string module;
};

// Many functions have several names. Every source prefers the same one, so that a function has the same name wherever
// it is found: `write`, not `__GI___libc_write`.
// Whether `name` is better than `other`: a name without "__GI_" is better; then the one with fewer leading underscores,
// the shorter one, the first by bytes. This is a strict order.
[[nodiscard]] bool better_alias(std::string_view name, std::string_view other);

// Whether `name` is a mark of the assembler and no name. A mark says where code ($x) or data ($d, $d.1) begins.
[[nodiscard]] bool is_mapping_mark(std::string_view name);

}  // namespace profile
