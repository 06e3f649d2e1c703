// An ELF file that may have been written by somebody hostile, and may change while it is read. Only headers are kept,
// in memory, checked once; everything else is read piece by piece through read_at(). Never mapped: a file truncated
// under a mapping is SIGBUS. libelf translates the records; it does not read them, because elf_begin() allocates for as
// many sections as the file claims before anybody could object (814 MB for a sparse file that claims four million).
#pragma once

#include <elf.h>
#include <libelf.h>

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

// Section and program headers of either class, in the 64-bit form. `type` and `flags` as in <elf.h>.
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
};

class ElfFile {
 public:
  // What `bytes` are of must outlive this. nullopt: no ELF file of this machine's kind, or one whose program headers
  // cannot be read; `why` then says which, to follow the file's name and a colon. What is read from here on is taken
  // from `budget`, which must outlive this and all that is made of it; null: there is none. Once it is spent nothing
  // can be read.
  [[nodiscard]] static std::optional<ElfFile> read(const FileBytes& bytes, std::string& why,
                                                   WorkBudget* budget = nullptr);
  // The same for a file that holds no code, only what debuggers read: those that several debug files share (dwz) pose
  // as object files.
  [[nodiscard]] static std::optional<ElfFile> read_shared_debug_data(const FileBytes& bytes, std::string& why);

  // Where the file says the byte at `offset` lies once loaded; nullopt when no loaded segment holds it.
  [[nodiscard]] std::optional<ElfAddress> address_of(FileOffset offset) const;
  // Where the byte at `address` lies in the file; nullopt when no loaded segment has it from there.
  [[nodiscard]] std::optional<FileOffset> offset_of(ElfAddress address) const;
  // How far around `offset` address_of() goes by the same segment.
  [[nodiscard]] ValidRange same_segment_around(FileOffset offset) const;
  // Its executable segments, in the order of the file.
  [[nodiscard]] std::vector<CodeSegment> code_segments() const;
  // In lower-case hex; empty when it has none.
  [[nodiscard]] std::string build_id() const;

  [[nodiscard]] bool is_64bit() const { return is_64bit_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return bytes_.size_bytes(); }
  // It claims section headers that are not there. (A file stripped of them claims none.)
  [[nodiscard]] bool sections_damaged() const { return sections_damaged_; }
  [[nodiscard]] std::span<const ElfSection> sections() const { return sections_; }
  [[nodiscard]] std::span<const ElfSegment> segments() const { return segments_; }
  // The first section of that name; nullptr when there is none.
  [[nodiscard]] const ElfSection* section(std::string_view name) const;
  // It has bytes in the file (no SHT_NOBITS), all of them.
  [[nodiscard]] bool holds(const ElfSection& section) const;

  // The same file, as if its section headers were these (which then have no names).
  [[nodiscard]] ElfFile with_sections(std::vector<ElfSection> sections) const;

  // Reads records of one of the types in <elf.h> (headers, symbols) from `offset` on. libelf turns them from the file's
  // byte order into ours. False when the file does not have all of them.
  template <class Record>
  [[nodiscard]] bool read_records(std::uint64_t offset, std::span<Record> records) const {
    constexpr RecordKind kind = kind_of(Record{});
    return read_at(offset, std::as_writable_bytes(records)) && translate(kind, std::as_writable_bytes(records));
  }

  // Fills `buffer` from `offset` on; false when the file does not have all of it.
  [[nodiscard]] bool read_at(std::uint64_t offset, std::span<std::byte> buffer) const;
  // Takes other work for this file from its budget; false once that is spent.
  [[nodiscard]] bool spend(std::uint64_t steps) const { return budget_ == nullptr || budget_->take(steps); }

 private:
  enum class Content : bool { code, mini_debuginfo };

  ElfFile(const FileBytes& bytes, WorkBudget* budget) : bytes_(bytes), budget_(budget) {}
  [[nodiscard]] static std::optional<ElfFile> read(const FileBytes& bytes, Content content, std::string& why,
                                                   WorkBudget* budget);
  template <class Layout>
  [[nodiscard]] bool read_headers(Content content, std::string& why);
  template <class Layout>
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
  [[nodiscard]] bool translate(RecordKind kind, std::span<std::byte> records) const;
  [[nodiscard]] bool read_names(const ElfSection& names) const;
  [[nodiscard]] std::string build_id_in(std::uint64_t offset, std::uint64_t size, std::uint64_t align) const;

  FileBytes bytes_;
  WorkBudget* budget_;  // null: none
  bool is_64bit_ = true;
  std::uint8_t byte_order_ = ELFDATANONE;  // ELFDATA2LSB or ELFDATA2MSB
  bool sections_damaged_ = false;
  std::uint32_t section_names_ = 0;                   // index of the section that holds their names; 0: none
  mutable std::shared_ptr<const std::string> names_;  // of the sections; null: not asked for yet
  std::vector<ElfSegment> segments_;
  std::vector<ElfSection> sections_;
};

}  // namespace profile
