#include "elf/file.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace profile {
namespace {

// The kernel runs no program with more than 64 KiB of program headers, which is 1170 of them.
constexpr std::uint64_t max_segments = 65536 / sizeof(Elf64_Phdr);
// Linkers can keep a section for each function, and so more than the field of a symbol can tell apart.
constexpr std::uint64_t max_sections = 1 << 18;
// Bytes of names beyond this limit are ignored. In object files of LLVM the table holds the names of symbols, too.
constexpr std::uint64_t max_names_bytes = 1 << 24;
constexpr std::size_t max_name_bytes = 64;
// A note section holds a few hundred bytes.
constexpr std::uint64_t max_note_bytes = 65536;
constexpr int max_notes = 64;
// The cost of each read, in addition to its bytes: a file of many tiny things takes time, too.
constexpr std::uint64_t read_steps = 256;
// The cost of comparing one name of a section.
constexpr std::uint64_t name_steps = 4;

template <class T>
std::span<std::byte> bytes_of(T& object) {
  return std::as_writable_bytes(std::span(&object, 1));
}

std::uint64_t page_bytes() { return static_cast<std::uint64_t>(std::max(::sysconf(_SC_PAGESIZE), 4096L)); }

// Samples have addresses only in executable mappings, and a mapping covers whole pages. So the first and the last page
// of an executable segment may hold bytes that a neighbour's header claims.
bool in_pages_of(const ElfSegment& segment, std::uint64_t offset, std::uint64_t page) {
  const std::uint64_t begin = segment.offset & ~(page - 1);
  const std::uint64_t end = segment.offset + segment.file_size;
  return offset >= begin && (offset < end || offset - end < (page - end % page) % page);
}

}  // namespace

std::string in_hex(std::span<const std::byte> bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

ElfFile ElfFile::with_budget(WorkBudget& budget) const {
  ElfFile other(*this);
  other.budget_ = &budget;
  return other;
}

ElfFile ElfFile::with_sections(std::vector<ElfSection> sections) const {
  ElfFile other(*this);
  other.sections_ = std::move(sections);
  other.sections_damaged_ = false;
  other.section_names_ = 0;
  other.names_.reset();
  return other;
}

std::optional<ElfFile> ElfFile::read(const FileBytes& bytes, std::string& why, WorkBudget* budget, Content content) {
  if (!bytes) {
    why = std::string("cannot be examined: ") + std::strerror(errno);
    return std::nullopt;
  }
  ElfFile file(bytes, budget);
  std::array<std::uint8_t, EI_NIDENT> ident{};
  if (!file.read_at(0, bytes_of(ident)) || std::memcmp(ident.data(), ELFMAG, SELFMAG) != 0) {
    why = "is not an ELF file";
    return std::nullopt;
  }
  constexpr int ours = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  if (ident[EI_DATA] != ours) {
    why = "is an ELF file of the other byte order";
    return std::nullopt;
  }
  file.byte_order_ = ident[EI_DATA];
  file.is_64bit_ = ident[EI_CLASS] == ELFCLASS64;
  if (!file.is_64bit_ && ident[EI_CLASS] != ELFCLASS32) {
    why = "is an ELF file of an unknown class";
    return std::nullopt;
  }
  const bool read = file.is_64bit_ ? file.read_headers<Elf64_Ehdr, Elf64_Phdr, Elf64_Shdr>(content, why)
                                   : file.read_headers<Elf32_Ehdr, Elf32_Phdr, Elf32_Shdr>(content, why);
  return read ? std::optional<ElfFile>(std::move(file)) : std::nullopt;
}

template <class Header, class Segment, class Section>
bool ElfFile::read_headers(Content content, std::string& why) {
  Header header{};
  if (!read_records(0, std::span(&header, 1))) {
    why = "is a truncated ELF file";
    return false;
  }
  const bool poses = content == Content::shared_debug_data && header.e_type == ET_REL;
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN && !poses) {
    why = "is neither a program nor a shared library";
    return false;
  }
  const std::uint64_t count = header.e_phnum;
  if (count > max_segments || (count > 0 && header.e_phentsize != sizeof(Segment))) {
    why = "has unbelievable program headers";
    return false;
  }
  std::vector<Segment> raw(count);
  if (count > 0 && !read_records(header.e_phoff, std::span(raw))) {
    why = "is a truncated ELF file (no program headers)";
    return false;
  }
  segments_.reserve(count);
  for (const auto& segment : raw) {
    segments_.push_back(
        {segment.p_type, segment.p_flags, segment.p_offset, segment.p_vaddr, segment.p_filesz, segment.p_align});
  }

  if (header.e_shoff == 0) return true;
  std::uint64_t section_count = header.e_shnum;
  section_names_ = header.e_shstrndx;
  if (section_count == 0 || section_names_ == SHN_XINDEX) {  // too large for the fields: section 0 has the values
    Section first{};
    if (read_records(header.e_shoff, std::span(&first, 1))) {
      if (section_count == 0) section_count = first.sh_size;
      if (section_names_ == SHN_XINDEX) section_names_ = first.sh_link;
    }
  }
  sections_damaged_ = header.e_shentsize != sizeof(Section) || !read_sections<Section>(header.e_shoff, section_count);
  return true;
}

template <class Section>
bool ElfFile::read_sections(std::uint64_t offset, std::uint64_t count) {
  if (count > max_sections) return false;
  std::vector<Section> raw(count);
  if (!read_records(offset, std::span(raw))) return false;
  sections_.reserve(count);
  for (const auto& section : raw) {
    sections_.push_back({section.sh_name, section.sh_type, section.sh_flags, section.sh_addr, section.sh_offset,
                         section.sh_size, section.sh_link, section.sh_entsize});
  }
  return true;
}

bool ElfFile::translate(RecordKind kind, std::span<std::byte> records) const {
  Elf_Data data{};
  data.d_buf = records.data();
  data.d_size = records.size();
  data.d_type = kind.type;
  data.d_version = EV_CURRENT;
  const auto to_memory = kind.is_64bit ? ::elf64_xlatetom : ::elf32_xlatetom;
  return to_memory(&data, &data, byte_order_) != nullptr;
}

bool ElfFile::read_at(std::uint64_t offset, std::span<std::byte> buffer) const {
  if (offset > size_bytes() || buffer.size() > size_bytes() - offset) return false;
  return spend(buffer.size() * bytes_.steps_a_byte() + read_steps) && bytes_.read_at(offset, buffer);
}

std::optional<ElfAddress> ElfFile::address_of(FileOffset offset) const {
  const auto page = page_bytes();
  const ElfSegment* best = nullptr;
  int best_rank = 0;
  for (const ElfSegment& segment : segments_) {
    if (segment.type != PT_LOAD || segment.file_size == 0) continue;
    if (segment.file_size > UINT64_MAX - segment.offset) continue;
    const bool executable = (segment.flags & PF_X) != 0;
    const bool inside = offset.value >= segment.offset && offset.value - segment.offset < segment.file_size;
    int rank = 0;
    if (inside) {
      rank = executable ? 3 : 1;
    } else if (executable && in_pages_of(segment, offset.value, page)) {
      rank = 2;
    }
    if (rank > best_rank) {
      best = &segment;
      best_rank = rank;
    }
  }
  if (best == nullptr) return std::nullopt;
  return ElfAddress{offset.value - best->offset + best->address};
}

std::optional<FileOffset> ElfFile::offset_of(ElfAddress address) const {
  const auto place = place_of(address);
  return place ? std::optional(FileOffset{place->offset}) : std::nullopt;
}

std::optional<ElfPlace> ElfFile::place_of(ElfAddress address) const {
  for (const ElfSegment& segment : segments_) {
    if (segment.type != PT_LOAD || address.value < segment.address) continue;
    const std::uint64_t into = address.value - segment.address;
    if (into >= segment.file_size || segment.offset > UINT64_MAX - into) continue;
    return ElfPlace{.offset = segment.offset + into, .bytes = segment.file_size - into};
  }
  return std::nullopt;
}

ValidRange ElfFile::same_segment_around(FileOffset offset) const {
  const auto page = page_bytes();
  ValidRange valid_range;
  for (const ElfSegment& segment : segments_) {
    if (segment.type != PT_LOAD || segment.file_size == 0) continue;
    if (segment.file_size > UINT64_MAX - segment.offset) continue;
    const std::uint64_t end = segment.offset + segment.file_size;
    for (const std::uint64_t point :
         {segment.offset & ~(page - 1), segment.offset, end, end + (page - end % page) % page}) {
      valid_range.stop_at(offset.value, point);
    }
  }
  return valid_range;
}

std::vector<CodeSegment> ElfFile::code_segments() const {
  // The smallest page size there is. With larger pages, neighbouring segments may overlap, and readers take one for the
  // other.
  constexpr std::uint64_t page = 4096;
  std::vector<CodeSegment> all;
  for (const ElfSegment& segment : segments_) {
    if (!segment.is_code() || segment.file_size == 0) continue;
    const std::uint64_t before = segment.offset % page;
    const std::uint64_t bytes = before + segment.file_size;
    if (segment.address < before || bytes < before || bytes > UINT64_MAX - page) continue;
    const std::uint64_t start = segment.address - before;
    const std::uint64_t whole = (bytes + page - 1) & ~(page - 1);
    if (whole > UINT64_MAX - start) continue;
    all.push_back({.start = {start}, .limit = {start + whole}, .offset = {segment.offset - before}});
  }
  return all;
}

bool ElfFile::holds(const ElfSection& section) const {
  return section.type != SHT_NOBITS && section.offset <= size_bytes() && section.size <= size_bytes() - section.offset;
}

// Reads the names once and keeps them, because they are asked for again and again.
const std::string& ElfFile::names() const {
  if (names_) return *names_;
  std::string text;
  if (section_names_ != 0 && section_names_ < sections_.size() && holds(sections_[section_names_])) {
    const ElfSection& names = sections_[section_names_];
    text.resize(std::min(names.size, max_names_bytes));
    if (!read_at(names.offset, std::as_writable_bytes(std::span(text)))) text.clear();
  }
  names_ = std::make_shared<const std::string>(std::move(text));
  return *names_;
}

std::string_view ElfFile::name_of(const ElfSection& section) const {
  if (section.name >= names().size()) return {};
  const std::string_view text = std::string_view(names()).substr(section.name, max_name_bytes);
  return text.substr(0, text.find('\0'));
}

const ElfSection* ElfFile::section(std::string_view name) const {
  if (!spend(name_steps * sections_.size())) return nullptr;
  const auto found = std::ranges::find(sections_, name, [this](const ElfSection& each) { return name_of(each); });
  return found == sections_.end() ? nullptr : &*found;
}

std::string ElfFile::build_id() const {
  constexpr NoteKind gnu{.owner = {"GNU\0", 4}, .type = NT_GNU_BUILD_ID};
  constexpr NoteKind go{.owner = {"Go\0\0", 4}, .type = 4};  // ELF_NOTE_GOBUILDID_TAG of Go's linker
  if (const auto id = note(gnu); id && id->size() <= max_build_id_bytes) return in_hex(*id);
  // Go's is a text of several hashes with '/' between them, of which the last one is of the file's content.
  const auto id = note(go);
  if (!id) return {};
  const std::string_view text(reinterpret_cast<const char*>(id->data()), id->size());
  const std::string_view content = text.substr(text.rfind('/') + 1).substr(0, max_build_id_bytes);
  return in_hex(std::as_bytes(std::span(content)));
}

std::optional<std::vector<std::byte>> ElfFile::note(const NoteKind& kind) const {
  int looked_at = 0;
  for (const ElfSegment& segment : segments_) {
    if (segment.type != PT_NOTE || ++looked_at > max_notes) continue;
    if (auto found = note_in(segment.offset, segment.file_size, segment.align, kind)) return found;
  }
  for (const ElfSection& section : sections_) {
    if (section.type != SHT_NOTE || ++looked_at > max_notes) continue;
    // ElfSection does not keep the alignment, so it is taken as 4. Only the property note is aligned to 8, and it is
    // never next to the build-id.
    if (auto found = note_in(section.offset, section.size, 4, kind)) return found;
  }
  return std::nullopt;
}

std::optional<std::vector<std::byte>> ElfFile::note_in(std::uint64_t offset, std::uint64_t size, std::uint64_t align,
                                                       const NoteKind& kind) const {
  const std::uint64_t unit = align == 8 ? 8 : 4;
  std::vector<std::byte> notes(std::min({size, max_note_bytes, offset < size_bytes() ? size_bytes() - offset : 0}));
  if (!read_at(offset, notes)) return std::nullopt;
  const auto padded = [unit](std::uint64_t position) { return (position + unit - 1) & ~(unit - 1); };
  std::uint64_t at = 0;
  while (at + sizeof(Elf64_Nhdr) <= notes.size()) {
    Elf64_Nhdr head;  // it is the same in both classes
    std::memcpy(&head, notes.data() + at, sizeof head);
    const std::uint64_t name = at + sizeof head;
    const std::uint64_t content = padded(name + head.n_namesz);
    if (content > notes.size() || head.n_descsz > notes.size() - content) break;
    const bool is_owner = head.n_namesz == kind.owner.size() &&
                          std::memcmp(notes.data() + name, kind.owner.data(), kind.owner.size()) == 0;
    if (is_owner && head.n_type == kind.type && head.n_descsz > 0) {
      const auto bytes = std::span(notes).subspan(content, head.n_descsz);
      return std::vector(bytes.begin(), bytes.end());
    }
    at = padded(content + head.n_descsz);
  }
  return std::nullopt;
}

}  // namespace profile
