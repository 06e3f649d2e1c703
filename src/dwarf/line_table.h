// Finds the file and line that each address came from. A line table is a program for a small machine; when it runs, it
// lists all lines of a unit. It runs once for all wanted addresses, and its rows are not kept.
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
  std::uint64_t file = 0;  // a number in the table's files
  std::uint32_t line = 0;  // 0: code that belongs to no line
};

class DwarfLineTable {
 public:
  // Reads the table of `unit`, which must outlive this. A damaged table gives fewer answers, or none.
  explicit DwarfLineTable(DwarfUnit& unit);

  // `addresses` ascend; `lines` has their size.
  void find(std::span<const std::uint64_t> addresses, std::span<DwarfLine> lines);
  // The path of a file, by the number that stands in rows and entries. It is relative only where the compiler did not
  // say to what. Empty when no file has that number.
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
  std::size_t program_ = 0;  // where the program begins in bytes_; 0: there is none
  std::uint8_t min_instruction_bytes_ = 1;
  std::uint8_t max_operations_ = 1;
  std::int8_t line_base_ = 0;
  std::uint8_t line_range_ = 1;
  std::uint8_t opcode_base_ = 1;
  std::vector<std::uint8_t> operands_;  // [i]: how many operands standard opcode i + 1 has
};

}  // namespace profile
