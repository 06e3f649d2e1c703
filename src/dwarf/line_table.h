// Which line of which file each address came from: a program for a small machine that, run, lists all lines of a unit.
// It is run once for all addresses wanted and its rows are not kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dwarf/unit.h"

namespace profile {

struct DwarfLine {
  bool found = false;
  std::uint64_t file = 0;  // in the table's files
  std::uint32_t line = 0;  // 0: code that belongs to no line
};

class DwarfLineTable {
 public:
  // The table of `unit`, which must outlive this. One that is damaged knows nothing, or less.
  explicit DwarfLineTable(DwarfUnit& unit);

  // `addresses` ascend; `lines` has their size.
  void find(std::span<const std::uint64_t> addresses, std::span<DwarfLine> lines);
  // Of a file, by the number that stands in rows and entries; relative only where the compiler did not say to what.
  // Empty when there is none of that number.
  [[nodiscard]] std::string path(std::uint64_t file);

 private:
  struct File {
    DwarfValue name;
    std::uint64_t directory = 0;
  };

  class Run;

  bool read_header();
  bool read_names_before_5();
  bool read_names_since_5(std::vector<File>& files);

  DwarfUnit& unit_;
  std::vector<std::byte> bytes_;
  DwarfCursor cursor_;
  DwarfEncoding encoding_;
  std::vector<File> directories_;
  std::vector<File> files_;
  std::size_t program_ = 0;  // where in bytes_ it begins; 0: there is none
  std::uint8_t min_instruction_bytes_ = 1;
  std::uint8_t max_operations_ = 1;
  std::int8_t line_base_ = 0;
  std::uint8_t line_range_ = 1;
  std::uint8_t opcode_base_ = 1;
  std::vector<std::uint8_t> operands_;  // of each standard opcode, how many
};

}  // namespace profile
