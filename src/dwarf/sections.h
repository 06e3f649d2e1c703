// The debug sections of one file, read piece by piece: the sections of a large program are larger than the memory a
// profiler may take (libdw reads them all, whole, before the first question: 693 MB for an 800 MB file). Only
// compressed ones are held whole, for what is inside cannot be reached otherwise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "elf/seekable_zlib.h"
#include "support/file_bytes.h"
#include "support/work_budget.h"

namespace profile {

enum class DwarfSectionId : std::uint8_t {
  info,
  abbrev,
  aranges,
  line,
  line_str,
  str,
  str_offsets,
  addr,
  ranges,
  rnglists,
  cu_index,  // of a package (.dwp): which unit is whose, and where its parts of the other sections begin
  count
};

class DwarfSection {
 public:
  DwarfSection() = default;
  DwarfSection(const FileBytes& file, std::uint64_t offset, std::uint64_t size_bytes)
      : file_(file), offset_(offset), size_bytes_(size_bytes) {}
  DwarfSection(SeekableZlib packed, std::uint64_t size_bytes) : size_bytes_(size_bytes), packed_(std::move(packed)) {}
  explicit DwarfSection(std::vector<std::byte> bytes) : size_bytes_(bytes.size()), held_(std::move(bytes)) {}

  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  // Fills `out` from `offset` on; false when the section does not have all of it.
  [[nodiscard]] bool read(std::uint64_t offset, std::span<std::byte> out);
  // The bytes from `offset` on, `wanted_bytes` of them or as many as there are. Valid until the next call.
  [[nodiscard]] std::span<const std::byte> window(std::uint64_t offset, std::size_t wanted_bytes);
  // The text at `offset`, cut at 16 KiB; empty when there is none.
  [[nodiscard]] std::string text(std::uint64_t offset);
  // What it has could not be read at some time.
  [[nodiscard]] bool unreadable() const { return unreadable_; }

 private:
  [[nodiscard]] bool in_memory() const { return !file_ && !packed_; }

  FileBytes file_;
  std::uint64_t offset_ = 0;
  std::uint64_t size_bytes_ = 0;
  std::optional<SeekableZlib> packed_;
  bool unreadable_ = false;
  std::vector<std::byte> held_;  // of a section that is not in memory, the last window
  std::uint64_t held_offset_ = 0;
};

class DwarfSections {
 public:
  using InMemory = std::array<std::vector<std::byte>, static_cast<std::size_t>(DwarfSectionId::count)>;

  DwarfSections() = default;
  explicit DwarfSections(InMemory bytes);
  // Of a program or its debug file, an ELF file of any type. What `file` is of must outlive this. nullopt: no
  // ELF file, or one without debug information; `why` then says which, to follow the file's name and a colon.
  [[nodiscard]] static std::optional<DwarfSections> read(const FileBytes& file, std::string& why);
  // The same of a file that a compiler left the larger part of a program's in (.dwo, .dwp).
  [[nodiscard]] static std::optional<DwarfSections> read_split(const FileBytes& file, std::string& why,
                                                               WorkBudget& budget);

  // An absent, damaged or unreadable one is empty.
  [[nodiscard]] DwarfSection& operator[](DwarfSectionId id);
  // What was in the way of a section that is there and could not be read; empty when nothing was.
  [[nodiscard]] std::string why_unreadable() const;
  // Of all sections, as they stand in the file: what a reader may have to walk.
  [[nodiscard]] std::uint64_t size_bytes() const;

 private:
  enum class Packing : std::uint8_t { none, elf, gnu };  // SHF_COMPRESSED, or the older .zdebug_
  struct FileRange {
    std::uint64_t offset = 0;
    std::uint64_t size_bytes = 0;
    Packing packing = Packing::none;
  };
  struct Elf;

  // Without a budget: not of what is split.
  [[nodiscard]] static std::optional<DwarfSections> read(const FileBytes& file, std::string& why,
                                                         WorkBudget* split_budget);
  void take(std::string_view name, bool split_wanted, const FileRange& place);
  void unpack(std::size_t index);

  FileBytes file_;
  bool is_64bit_ = true;
  std::array<FileRange, static_cast<std::size_t>(DwarfSectionId::count)> places_{};
  std::array<DwarfSection, static_cast<std::size_t>(DwarfSectionId::count)> sections_;
  std::uint64_t unpacked_bytes_ = 0;
  std::string why_unreadable_;
};

}  // namespace profile
