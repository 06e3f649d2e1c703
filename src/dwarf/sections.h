// The debug sections of one file, read piece by piece: the sections of a large program are larger than the memory that
// a profiler may take. (libdw reads them whole before the first question: 693 MB for an 800 MB file.) A compressed
// section is held whole when it is not too large, or when its format (zstd) allows nothing else. Whatever is read,
// unpacked or given as a text is paid for here, from the budget of the one who asks.
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
  cu_index,  // of a package (.dwp): which unit has which id, and where its parts of the other sections begin
  count
};

// A longer text is cut.
constexpr std::size_t max_text_bytes = std::size_t{16} << 10;

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
  // The text at `offset`, cut at 16 KiB. Empty when there is none.
  [[nodiscard]] std::string text(std::uint64_t offset);
  // Whether any read within the section has failed so far.
  [[nodiscard]] bool unreadable() const { return unreadable_; }
  // From now on reads are paid for, and fail when `budget` is spent. It must outlive this.
  void pay_from(WorkBudget* budget);

 private:
  [[nodiscard]] bool pay(std::uint64_t steps) const { return budget_ == nullptr || budget_->take(steps); }
  [[nodiscard]] bool in_memory() const { return !file_ && !packed_; }

  FileBytes file_;
  std::uint64_t offset_ = 0;
  std::uint64_t size_bytes_ = 0;
  std::optional<SeekableZlib> packed_;
  bool unreadable_ = false;
  WorkBudget* budget_ = nullptr;
  std::vector<std::byte> held_;  // the whole section when it is in memory, otherwise the last window
  std::uint64_t held_offset_ = 0;
};

class DwarfSections {
 public:
  using InMemory = std::array<std::vector<std::byte>, static_cast<std::size_t>(DwarfSectionId::count)>;

  DwarfSections() = default;
  explicit DwarfSections(InMemory bytes);
  // Reads a program, its debug file, or a file of split debug information. The file or memory behind `file` must
  // outlive this. nullopt: no ELF file, or one without debug information; `why` then says which, to follow the file's
  // name and a colon. `split_budget`: given for a file in which a compiler left the larger part of a program's debug
  // information (.dwo, .dwp).
  [[nodiscard]] static std::optional<DwarfSections> read(const FileBytes& file, std::string& why,
                                                         WorkBudget* split_budget = nullptr);

  // An absent, damaged or unreadable section is empty.
  [[nodiscard]] DwarfSection& operator[](DwarfSectionId id);
  // Why a section that is there could not be read. Empty when all could be read.
  [[nodiscard]] std::string why_unreadable() const;
  // The size of all sections: what a reader may have to walk.
  [[nodiscard]] std::uint64_t size_bytes() const;
  // As DwarfSection::pay_from(), for all sections.
  void pay_from(WorkBudget* budget);

 private:
  enum class Packing : std::uint8_t { none, elf, gnu };  // SHF_COMPRESSED, or the older .zdebug_
  struct FileRange {
    std::uint64_t offset = 0;
    std::uint64_t size_bytes = 0;
    Packing packing = Packing::none;
  };

  void take(std::string_view name, bool split_wanted, const FileRange& place);
  void unpack(std::size_t index);

  FileBytes file_;
  bool is_64bit_ = true;
  std::array<FileRange, static_cast<std::size_t>(DwarfSectionId::count)> places_{};
  std::array<DwarfSection, static_cast<std::size_t>(DwarfSectionId::count)> sections_;
  std::uint64_t unpacked_bytes_ = 0;
  WorkBudget* budget_ = nullptr;
  std::string why_unreadable_;
};

}  // namespace profile
