// The table of functions that every Go program carries for its own tracebacks (.gopclntab), also a stripped one.
// Go 1.16 and later; src/internal/abi and src/cmd/link/internal/ld/pcln.go describe it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "elf/file.h"
#include "elf/symbol.h"

namespace profile {

struct GoFunction {
  std::uint64_t start = 0;  // ELF address
  std::uint64_t end = 0;
  std::uint32_t record = 0;  // where the rest of its description is, counted from the first of them
};

class GoFunctions {
 public:
  // nullopt: no Go program, or one of another version of the table. The file must outlive this.
  [[nodiscard]] static std::optional<GoFunctions> find(const ElfFile& file);

  // The function that holds the address; nullopt: none, or the table is damaged there.
  [[nodiscard]] std::optional<GoFunction> at(std::uint64_t address) const;
  // The name as in the source: "main.(*Type).method". Empty when it cannot be read.
  [[nodiscard]] std::string name_of(const GoFunction& function) const;
  struct Named {
    GoFunction function;
    std::size_t name = 0;  // index of its name among those that were asked for
  };
  // The functions with these names, in the order of their addresses. Several may have one name, because wrappers have
  // the name of what they call. Empty when the table is damaged.
  [[nodiscard]] std::vector<Named> with_names(std::span<const std::string_view> names) const;

 private:
  GoFunctions(const ElfFile& file, const ElfSection& section) : file_(&file), section_(&section) {}
  struct Entry {
    std::uint64_t start = 0;
    std::uint32_t record = 0;
  };
  [[nodiscard]] bool read_header();
  // A word of the size of a pointer at this byte of the table; 0 when it is not there.
  [[nodiscard]] std::uint64_t word_at(std::uint64_t at) const;
  [[nodiscard]] std::optional<Entry> entry(std::uint64_t index) const;
  [[nodiscard]] bool read(std::uint64_t at, std::span<std::byte> to) const;
  // By the name's offset in the names: the index of the name.
  [[nodiscard]] std::map<std::uint32_t, std::size_t> places_of(std::span<const std::string_view> names) const;

  const ElfFile* file_;
  const ElfSection* section_;
  bool has_offsets_ = false;      // entries have 32 bits, and count from text_start_ (since Go 1.18)
  std::uint64_t count_ = 0;       // of the functions
  std::uint64_t text_start_ = 0;  // ELF address
  std::uint64_t names_at_ = 0;    // the names, in bytes of the table
  std::uint64_t names_end_ = 0;
  std::uint64_t functions_at_ = 0;  // the entries, and then the records
};

// Names those of the addresses that no other table has named; see resolve_symbols().
void resolve_go_functions(const ElfFile& file, std::span<const ElfAddress> addresses, std::span<Symbol> answers);

}  // namespace profile
