#include "dwarf/sections.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "elf/file.h"
#include "elf/seekable_zlib.h"

namespace profile {
namespace {

constexpr std::size_t window_bytes = 4096;
// What a read costs beside its bytes; copying a byte is a small part of a step.
constexpr std::uint64_t read_steps = 256;
constexpr std::uint64_t bytes_a_step = 8;
// A text is copied, hashed and kept.
constexpr std::uint64_t steps_a_text_byte = 4;
constexpr std::uint64_t max_split_sections = 4096;  // a program may name thousands of such files
constexpr std::uint64_t section_steps = 256;        // what the budget pays to ask for the name of one section
// Larger zlib sections are unpacked as they are read. The limit for texts is higher, because they are asked for all
// over the section.
constexpr std::uint64_t max_whole_bytes = std::uint64_t{32} << 20;
constexpr std::uint64_t max_whole_texts_bytes = std::uint64_t{256} << 20;
constexpr std::uint64_t max_unpacked_bytes = std::uint64_t{1}
                                             << 30;  // of one file, all sections that are unpacked whole
constexpr std::uint64_t max_ratio = 1100;            // zlib cannot do better than 1032

// Without the ".debug_" or ".zdebug_" in front; in the order of DwarfSectionId.
constexpr std::array<std::string_view, static_cast<std::size_t>(DwarfSectionId::count)> section_names = {
    "info", "abbrev", "aranges", "line", "line_str", "str", "str_offsets", "addr", "ranges", "rnglists", "cu_index"};

template <class T>
bool read_object(const FileBytes& file, std::uint64_t offset, T& object) {
  return file.read_at(offset, std::as_writable_bytes(std::span(&object, 1)));
}

}  // namespace

void DwarfSection::pay_from(WorkBudget* budget) {
  budget_ = budget;
  if (packed_) packed_->pay_from(budget);
}

bool DwarfSection::read(std::uint64_t offset, std::span<std::byte> out) {
  if (offset > size_bytes_ || out.size() > size_bytes_ - offset) return false;
  if (!pay(read_steps + out.size() * file_.steps_a_byte() / bytes_a_step)) return false;
  if (in_memory()) {
    std::copy_n(held_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
  } else if (!(packed_ ? packed_->read(offset, out) : file_.read_at(offset_ + offset, out))) {
    unreadable_ = budget_ == nullptr || !budget_->spent();
    return false;
  }
  return !unreadable_;
}

std::span<const std::byte> DwarfSection::window(std::uint64_t offset, std::size_t wanted_bytes) {
  if (offset >= size_bytes_) return {};
  wanted_bytes = std::min<std::uint64_t>(wanted_bytes, size_bytes_ - offset);
  const bool held = offset >= held_offset_ && offset - held_offset_ <= held_.size() &&
                    wanted_bytes <= held_.size() - (offset - held_offset_);
  if (!held) {
    if (in_memory()) return {};
    held_offset_ = offset;
    held_.resize(std::min<std::uint64_t>(std::max(wanted_bytes, window_bytes), size_bytes_ - offset));
    if (held_.capacity() > 16 * window_bytes && held_.size() <= window_bytes) held_.shrink_to_fit();
    if (!read(offset, held_)) held_.clear();  // the file has shrunk since
  }
  const std::span<const std::byte> bytes(held_);
  return bytes.empty() ? bytes : bytes.subspan(offset - held_offset_, wanted_bytes);
}

std::string DwarfSection::text(std::uint64_t offset) {
  for (const std::size_t limit : {std::size_t{256}, max_text_bytes}) {
    const std::span<const std::byte> bytes = window(offset, limit);
    const auto end = std::find(bytes.begin(), bytes.end(), std::byte{0});
    if (end == bytes.end() && limit != max_text_bytes) continue;
    const auto size = static_cast<std::size_t>(end - bytes.begin());
    if (!pay(size * steps_a_text_byte)) return {};
    return {reinterpret_cast<const char*>(bytes.data()), size};
  }
  return {};
}

DwarfSections::DwarfSections(InMemory bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    places_[i].size_bytes = bytes[i].size();
    sections_[i] = DwarfSection(std::move(bytes[i]));
  }
}

std::optional<DwarfSections> DwarfSections::read(const FileBytes& file, std::string& why, WorkBudget* split_budget) {
  const auto elf = ElfFile::read(file, why, split_budget, ElfFile::Content::shared_debug_data);
  const std::size_t count = elf ? elf->sections().size() : 0;
  if (split_budget != nullptr && !split_budget->take(section_steps * count)) {
    why = "too much to read";
    return std::nullopt;
  }
  if (!elf) {
    why = "is not an ELF file of this machine's kind";
    return std::nullopt;
  }
  if (count == 0 || (split_budget != nullptr && count > max_split_sections)) {
    why = "has no section headers, or damaged ones";
    return std::nullopt;
  }
  DwarfSections found;
  found.file_ = file;
  found.is_64bit_ = elf->is_64bit();
  for (const ElfSection& section : elf->sections()) {
    if (!elf->holds(section)) continue;
    const Packing packing = (section.flags & SHF_COMPRESSED) != 0 ? Packing::elf : Packing::none;
    found.take(elf->name_of(section), split_budget != nullptr, {section.offset, section.size, packing});
  }
  if (found.places_[0].size_bytes == 0) {
    why = "has no debug information";
    return std::nullopt;
  }
  return found;
}

void DwarfSections::take(std::string_view name, bool split_wanted, const FileRange& place) {
  constexpr std::string_view plain = ".debug_";
  constexpr std::string_view packed = ".zdebug_";
  const bool is_packed = name.starts_with(packed);
  if (!is_packed && !name.starts_with(plain)) return;
  name.remove_prefix(is_packed ? packed.size() : plain.size());
  constexpr std::string_view split = ".dwo";
  const bool is_split = name.ends_with(split);
  if (is_split) name.remove_suffix(split.size());
  // An index describes split units, but is not split itself: its name has no ".dwo".
  if (is_split != (split_wanted && name != "cu_index")) return;
  const auto found = std::find(section_names.begin(), section_names.end(), name);
  if (found == section_names.end()) return;
  const auto index = static_cast<std::size_t>(found - section_names.begin());
  if (places_[index].size_bytes != 0) return;  // the first section of a name counts
  places_[index] = place;
  if (is_packed) places_[index].packing = Packing::gnu;
  if (places_[index].packing == Packing::none) sections_[index] = DwarfSection(file_, place.offset, place.size_bytes);
}

void DwarfSections::pay_from(WorkBudget* budget) {
  budget_ = budget;
  for (DwarfSection& section : sections_) section.pay_from(budget);
}

DwarfSection& DwarfSections::operator[](DwarfSectionId id) {
  const auto index = static_cast<std::size_t>(id);
  if (places_[index].packing != Packing::none) {
    unpack(index);
    sections_[index].pay_from(budget_);
  }
  return sections_[index];
}

std::string DwarfSections::why_unreadable() const {
  for (std::size_t i = 0; why_unreadable_.empty() && i < sections_.size(); ++i) {
    if (sections_[i].unreadable()) return "section .debug_" + std::string(section_names[i]) + " cannot be read";
  }
  return why_unreadable_;
}

std::uint64_t DwarfSections::size_bytes() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    sum += std::max(places_[i].size_bytes, sections_[i].size_bytes());
  }
  return sum;
}

void DwarfSections::unpack(std::size_t index) {
  const FileRange place = places_[index];
  places_[index].packing = Packing::none;  // it is tried only once
  const std::string name = "section .debug_" + std::string(section_names[index]);
  std::uint64_t header_bytes = 12;  // of the older form: "ZLIB", then the size, big-endian
  std::uint64_t size = 0;
  std::uint32_t type = ELFCOMPRESS_ZLIB;
  bool sound = false;
  if (place.packing == Packing::gnu) {
    std::array<unsigned char, 12> header{};
    sound = read_object(file_, place.offset, header) && std::memcmp(header.data(), "ZLIB", 4) == 0;
    for (std::size_t i = 4; i < header.size(); ++i) size = size << 8 | header[i];
  } else if (is_64bit_) {
    Elf64_Chdr header{};
    sound = read_object(file_, place.offset, header);
    header_bytes = sizeof header, size = header.ch_size, type = header.ch_type;
  } else {
    Elf32_Chdr header{};
    sound = read_object(file_, place.offset, header);
    header_bytes = sizeof header, size = header.ch_size, type = header.ch_type;
  }
  if (!sound || place.size_bytes < header_bytes || (type != ELFCOMPRESS_ZLIB && type != elfcompress_zstd)) {
    why_unreadable_ = name + " is compressed in an unknown way";
    return;
  }
  const bool texts = static_cast<DwarfSectionId>(index) == DwarfSectionId::str;
  const bool whole = type == elfcompress_zstd || size <= (texts ? max_whole_texts_bytes : max_whole_bytes);
  if ((whole && size > max_unpacked_bytes - unpacked_bytes_) || size / max_ratio > place.size_bytes) {
    why_unreadable_ = name + " is too large once decompressed";
    return;
  }
  if (!whole) {
    SeekableZlib bytes(file_, place.offset + header_bytes, place.size_bytes - header_bytes, size);
    sections_[index] = DwarfSection(std::move(bytes), size);
    return;
  }
  if (budget_ != nullptr && !budget_->take(unpack_steps(place.size_bytes, size))) return;
  std::vector<std::byte> packed(place.size_bytes - header_bytes);
  std::vector<std::byte> bytes(size);
  if (!file_.read_at(place.offset + header_bytes, packed) ||
      !(type == elfcompress_zstd ? inflate_zstd(packed, bytes) : inflate_zlib(packed, bytes))) {
    why_unreadable_ = name + " cannot be decompressed";
    return;
  }
  unpacked_bytes_ += size;
  sections_[index] = DwarfSection(std::move(bytes));
}

}  // namespace profile
