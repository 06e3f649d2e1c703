// The interface of everything that names code: sorted addresses of one file go in; a symbol or a reason comes out for
// each. An implementation is pure: it gets an open descriptor (or bytes) and addresses, opens nothing, follows no path
// and knows no process. The reason: a stranger wrote what it reads, and it may one day run in a sandbox.
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
  std::uint64_t start = 0;  // its first address, counted as the given addresses are
  Unnamed unnamed = Unnamed::pending;
  // In ELF files: the addresses around the given one that have the same answer. Each source that is asked narrows it.
  ValidRange valid_range = {};
};

// A kernel symbol also has the name of its module: "kernel", "nf_tables", "bpf".
struct KernelSymbol : Symbol {
  std::string module;
};

class SymbolSource {
 public:
  virtual ~SymbolSource() = default;
  // `addresses` ascend and are distinct; `answers` has their size. It looks only at answers whose `unnamed` is not
  // `named`, so several sources can be asked in turn, the best first. Throws nothing but std::bad_alloc: what is wrong
  // with the file is a reason in the answers.
  virtual void resolve(std::span<const ElfAddress> addresses, std::span<Symbol> answers) = 0;
};

// Many functions have several names. Every source prefers the same one, so that a function has the same name wherever
// it is found: `write`, not `__GI___libc_write`.
// Whether `name` is better than `other`: a name without "__GI_" is better; then the one with fewer leading underscores,
// the shorter one, the first by bytes. This is a strict order.
[[nodiscard]] bool better_alias(std::string_view name, std::string_view other);

// Whether `name` is a mark of the assembler and no name. A mark says where code ($x) or data ($d, $d.1) begins.
[[nodiscard]] bool is_mapping_mark(std::string_view name);

}  // namespace profile
