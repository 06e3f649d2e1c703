// What names code: the addresses of one file in, sorted; a symbol or a reason for each out. An implementation is pure:
// it is given an open descriptor (or bytes) and addresses, opens nothing, follows no path and knows no process, because
// what it reads was written by somebody else and it may one day run in a sandbox.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "elf/valid_range.h"
#include "model/address.h"
#include "model/profile.h"

namespace profile {

struct Symbol {
  std::string name;         // as the file spells it (mangled); empty when unnamed
  std::uint64_t start = 0;  // its first address, counted as the addresses asked for
  Unnamed unnamed = Unnamed::pending;
  // In ELF files: which addresses around the one asked for have the same answer. Each source that was asked narrows it.
  ValidRange valid_range = {};
};

// A kernel symbol says which module it is of: "kernel", "nf_tables", "bpf".
struct KernelSymbol : Symbol {
  std::string module;
};

class SymbolSource {
 public:
  virtual ~SymbolSource() = default;
  // `addresses` ascend and are distinct; `answers` has their size. Only answers whose `unnamed` is not `named` are
  // looked at, so sources can be asked one after another, the best first. Throws nothing but std::bad_alloc: what is
  // wrong with the file is a reason in the answers.
  virtual void resolve(std::span<const ElfAddress> addresses, std::span<Symbol> answers) = 0;
};

// Many functions have several names; every source of names prefers the same one, so that a function reads the same
// wherever it was found: `write`, not `__GI___libc_write`.
// Whether `name` says it better than `other`, all else being equal: not "__GI_", the fewest leading underscores, the
// shortest, the first by bytes. A strict order.
[[nodiscard]] bool better_alias(std::string_view name, std::string_view other);

// Whether it is a mark of the assembler's, which says where code ($x) or data ($d, $d.1) begins, and no name.
[[nodiscard]] bool is_mapping_mark(std::string_view name);

}  // namespace profile
