// An ELF file that may be hostile, and that may change while it is read. Only the headers are kept
// in memory, checked once; everything else is read piece by piece through read_at(). The file is never mapped: a file
// truncated under a mapping raises SIGBUS.
// libelf translates the records, but it does not read them: elf_begin() allocates memory for as many sections as the
// file claims, before any check (814 MB for a sparse file that claims four million).
#pragma once

#include <elf.h>
#include <libelf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "elf/valid_range.h"
#include "model/address.h"
#include "model/profile.h"
#include "support/file_bytes.h"
#include "support/work_budget.h"

namespace profile {

constexpr std::uint32_t elfcompress_zstd = 2;  // ELFCOMPRESS_ZSTD, which Debian 12's <elf.h> lacks
// A build-id of a honest file has 8 to 64 bytes.
constexpr std::size_t max_build_id_bytes = 64;

// Section and program headers of either class, in the 64-bit form. `type` and `flags` are as in <elf.h>.
struct ElfSection {
  std::uint32_t name = 0;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t address = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint32_t link = 0;
  std::uint64_t entry_size = 0;
};

struct ElfSegment {
  std::uint32_t type = 0;
  std::uint32_t flags = 0;
  std::uint64_t offset = 0;
  std::uint64_t address = 0;
  std::uint64_t file_size = 0;
  std::uint64_t align = 0;

  [[nodiscard]] bool is_code() const { return type == PT_LOAD && (flags & PF_X) != 0; }
};

// How a build-id is written: in lower-case hex.
[[nodiscard]] std::string in_hex(std::span<const std::byte> bytes);

// A part of the file.
struct ElfPlace {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

class ElfFile {
 public:
  // Files that several debug files share (dwz) have the type of object files. They hold no code, only data for
  // debuggers.
  enum class Content : bool { code, shared_debug_data };
  // The file or memory behind `bytes` must outlive this. nullopt: no ELF file of this machine's kind, or one with
  // unreadable program headers; `why` then says which, to follow the file's name and a colon.
  // All later reads are taken from `budget`, which must outlive this and everything that is made from this. null: no
  // budget. Nothing can be read when the budget is spent.
  [[nodiscard]] static std::optional<ElfFile> read(const FileBytes& bytes, std::string& why,
                                                   WorkBudget* budget = nullptr, Content content = Content::code);

  // The address that the file gives to the byte at `offset`. nullopt when no loaded segment holds the byte.
  [[nodiscard]] std::optional<ElfAddress> address_of(FileOffset offset) const;
  // Where the byte at `address` lies in the file. nullopt when no loaded segment takes it from the file.
  [[nodiscard]] std::optional<FileOffset> offset_of(ElfAddress address) const;
  // The same with the bytes that follow it in its segment.
  [[nodiscard]] std::optional<ElfPlace> place_of(ElfAddress address) const;
  // The range around `offset` for which address_of() uses the same segment.
  [[nodiscard]] ValidRange same_segment_around(FileOffset offset) const;
  // Its executable segments, in the order of the file, each extended to whole pages.
  [[nodiscard]] std::vector<CodeSegment> code_segments() const;
  // In lower-case hex: the GNU linker's or, without that, the hash of its content in Go's. Empty when it has none.
  [[nodiscard]] std::string build_id() const;

  [[nodiscard]] bool is_64bit() const { return is_64bit_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return bytes_.size_bytes(); }
  // The file claims section headers that cannot be read. (A stripped file claims none.)
  [[nodiscard]] bool sections_damaged() const { return sections_damaged_; }
  [[nodiscard]] std::span<const ElfSection> sections() const { return sections_; }
  [[nodiscard]] std::span<const ElfSegment> segments() const { return segments_; }
  // The name of one of its sections, cut off when it is longer than any known one. Empty when it cannot be read.
  [[nodiscard]] std::string_view name_of(const ElfSection& section) const;
  // The first section with that name; nullptr when there is none.
  [[nodiscard]] const ElfSection* section(std::string_view name) const;
  // Whether all bytes of the section are in the file. (A section of type SHT_NOBITS has none there.)
  [[nodiscard]] bool holds(const ElfSection& section) const;

  // The same file, but what is read from it is taken from this budget, which must outlive it.
  [[nodiscard]] ElfFile with_budget(WorkBudget& budget) const;
  // The same file with these section headers instead of its own. They then have no names.
  [[nodiscard]] ElfFile with_sections(std::vector<ElfSection> sections) const;

  // Reads records of one of the types in <elf.h> (headers, symbols), or words, from `offset` on. libelf converts them
  // from the file's byte order to ours. False when the file does not have all of them.
  template <class Record>
  [[nodiscard]] bool read_records(std::uint64_t offset, std::span<Record> records) const {
    constexpr RecordKind kind = kind_of(Record{});
    return read_at(offset, std::as_writable_bytes(records)) && translate(kind, std::as_writable_bytes(records));
  }

  // Calls `look` for each of `count` such records from `offset` on. Holds a part of them at a time. False when the file
  // ends early.
  template <class Record, class Look>
  [[nodiscard]] bool for_each_record(std::uint64_t offset, std::uint64_t count, Look look) const {
    constexpr std::uint64_t most_held = 2048;
    std::vector<Record> held(std::min(count, most_held));
    for (std::uint64_t at = 0; at < count; at += held.size()) {
      const auto part = std::span(held).first(std::min<std::uint64_t>(held.size(), count - at));
      if (!read_records(offset + at * sizeof(Record), part)) return false;
      for (const Record& record : part) look(record);
    }
    return true;
  }

  // Fills `buffer` from `offset` on. False when the file does not have all of it.
  [[nodiscard]] bool read_at(std::uint64_t offset, std::span<std::byte> buffer) const;
  // Takes other work for this file from its budget. False when the budget is spent.
  [[nodiscard]] bool spend(std::uint64_t steps) const { return budget_ == nullptr || budget_->take(steps); }

 private:
  ElfFile(const FileBytes& bytes, WorkBudget* budget) : bytes_(bytes), budget_(budget) {}
  template <class Header, class Segment, class Section>
  [[nodiscard]] bool read_headers(Content content, std::string& why);
  template <class Section>
  [[nodiscard]] bool read_sections(std::uint64_t offset, std::uint64_t count);
  struct RecordKind {
    Elf_Type type;
    bool is_64bit;
  };
  static constexpr RecordKind kind_of(const Elf64_Ehdr&) { return {ELF_T_EHDR, true}; }
  static constexpr RecordKind kind_of(const Elf32_Ehdr&) { return {ELF_T_EHDR, false}; }
  static constexpr RecordKind kind_of(const Elf64_Phdr&) { return {ELF_T_PHDR, true}; }
  static constexpr RecordKind kind_of(const Elf32_Phdr&) { return {ELF_T_PHDR, false}; }
  static constexpr RecordKind kind_of(const Elf64_Shdr&) { return {ELF_T_SHDR, true}; }
  static constexpr RecordKind kind_of(const Elf32_Shdr&) { return {ELF_T_SHDR, false}; }
  static constexpr RecordKind kind_of(const Elf64_Sym&) { return {ELF_T_SYM, true}; }
  static constexpr RecordKind kind_of(const Elf32_Sym&) { return {ELF_T_SYM, false}; }
  static constexpr RecordKind kind_of(const Elf64_Rela&) { return {ELF_T_RELA, true}; }
  static constexpr RecordKind kind_of(const Elf64_Dyn&) { return {ELF_T_DYN, true}; }
  static constexpr RecordKind kind_of(const Elf32_Dyn&) { return {ELF_T_DYN, false}; }
  static constexpr RecordKind kind_of(const std::uint32_t&) { return {ELF_T_WORD, true}; }
  [[nodiscard]] bool translate(RecordKind kind, std::span<std::byte> records) const;
  [[nodiscard]] const std::string& names() const;
  struct NoteKind {
    std::string_view owner;  // with its zeros
    std::uint32_t type = 0;
  };
  // The content of the first note of the kind that is not empty.
  [[nodiscard]] std::optional<std::vector<std::byte>> note(const NoteKind& kind) const;
  [[nodiscard]] std::optional<std::vector<std::byte>> note_in(std::uint64_t offset, std::uint64_t size,
                                                              std::uint64_t align, const NoteKind& kind) const;

  FileBytes bytes_;
  WorkBudget* budget_;  // null: none
  bool is_64bit_ = true;
  std::uint8_t byte_order_ = ELFDATANONE;  // ELFDATA2LSB or ELFDATA2MSB
  bool sections_damaged_ = false;
  std::uint32_t section_names_ = 0;                   // index of the section with their names; 0: none
  mutable std::shared_ptr<const std::string> names_;  // of the sections; null: not read yet
  std::vector<ElfSegment> segments_;
  std::vector<ElfSection> sections_;
};

}  // namespace profile
