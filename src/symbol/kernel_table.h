// Keeps all names of the kernel in memory, for runs that need them again and again: the kernel takes 40 ms to print
// them. It gives the same answers as resolve_kernel(), and says which of them may have changed by now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "elf/symbol.h"
#include "model/address.h"
#include "symbol/kallsyms_lines.h"

namespace profile {

class KernelTable {
 public:
  // Reads `kallsyms_fd` from where it stands to its end.
  explicit KernelTable(int kallsyms_fd);

  [[nodiscard]] KernelSymbol find(RuntimeAddress address) const;

  // What may have come to an address since the table was read.
  enum class Holds : std::uint8_t {
    always,         // nothing: the address lies in the kernel itself
    while_loaded,   // only another module, in the place of one that was unloaded
    until_changed,  // anything: a module, a BPF program, a trampoline
  };
  [[nodiscard]] Holds holds(RuntimeAddress address) const;

  // The kernel shows every address as zero, so reading again is useless.
  [[nodiscard]] bool is_hidden() const { return any_line_ && entries_.empty(); }
  [[nodiscard]] std::size_t size_bytes() const;

 private:
  // Names end in a zero. Entries without a name (data, the end of the text) have the empty name at 0.
  struct Entry {
    std::uint64_t address = 0;
    std::uint32_t name = 0;
    std::uint16_t module = 0;  // 0: the kernel itself
    KernelRank rank = KernelRank::data;
  };
  static_assert(sizeof(Entry) == 16);

  void add(const KernelLine& line);
  void finish();
  [[nodiscard]] std::uint16_t module_id(std::string_view name);
  [[nodiscard]] std::string_view name_of(const Entry& entry) const { return names_.c_str() + entry.name; }
  // The last entry at or below `address`.
  [[nodiscard]] std::optional<std::size_t> nearest(std::uint64_t address) const;

  std::vector<Entry> entries_;  // sorted by address, all different
  std::string names_;
  std::vector<std::string> modules_;
  bool any_line_ = false;
};

}  // namespace profile
