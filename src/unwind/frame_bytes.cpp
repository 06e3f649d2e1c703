#include "unwind/frame_bytes.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "elf/seekable_zlib.h"

namespace profile {
namespace {

// A section up to this size is held in memory completely. Large libraries (LLVM) have 5 MB.
constexpr std::uint32_t most_held_bytes = 16 << 20;
// Of a larger section, this much is held at a time, or one entry.
constexpr std::uint32_t part_bytes = 64 << 10;
// Databases that are one large program have some 60 MB.
constexpr std::uint64_t most_bytes = 256 << 20;

}  // namespace

std::optional<FrameBytes> FrameBytes::find(const ElfFile& file, FrameSection kind) {
  FrameBytes bytes(file, kind);
  const bool is_eh = kind == FrameSection::eh_frame;
  const ElfSection* const section = file.section(is_eh ? ".eh_frame" : ".debug_frame");
  const bool is_placed = section != nullptr ? bytes.place_section(*section) : is_eh && bytes.place_by_header();
  if (!is_placed || bytes.size_ == 0) return std::nullopt;
  return bytes;
}

bool FrameBytes::place_section(const ElfSection& section) {
  if (!file_->holds(section) || section.size > most_bytes) return false;
  offset_ = section.offset;
  address_ = section.address;
  size_ = static_cast<std::uint32_t>(section.size);
  if ((section.flags & SHF_COMPRESSED) == 0) return true;
  return unpack(section);
}

bool FrameBytes::unpack(const ElfSection& section) {
  Elf64_Chdr header{};
  if (section.size < sizeof header || !file_->read_at(section.offset, std::as_writable_bytes(std::span(&header, 1))))
    return false;
  const std::uint64_t packed_bytes = section.size - sizeof header;
  const bool is_known = header.ch_type == ELFCOMPRESS_ZLIB || header.ch_type == elfcompress_zstd;
  if (!is_known || header.ch_size > most_held_bytes || packed_bytes > most_held_bytes) return false;
  size_ = static_cast<std::uint32_t>(header.ch_size);
  std::vector<std::byte> packed(packed_bytes);
  memory_ = std::make_unique_for_overwrite<std::byte[]>(size_);
  const std::span<std::byte> out(memory_.get(), size_);
  if (!file_->read_at(section.offset + sizeof header, packed) || !file_->spend(unpack_steps(packed_bytes, size_)))
    return false;
  if (!(header.ch_type == elfcompress_zstd ? inflate_zstd(packed, out) : inflate_zlib(packed, out))) return false;
  held_ = out;
  return true;
}

// A file without section headers still has PT_GNU_EH_FRAME, which says where .eh_frame begins.
bool FrameBytes::place_by_header() {
  const auto header = std::ranges::find(file_->segments(), std::uint32_t{PT_GNU_EH_FRAME}, &ElfSegment::type);
  if (header == file_->segments().end()) return false;
  struct {
    std::uint8_t version;
    std::uint8_t pointer_encoding;
    std::uint8_t count_encoding;
    std::uint8_t table_encoding;
    std::int32_t distance;
  } start{};
  constexpr std::uint8_t relative_4_bytes = 0x1b;  // DW_EH_PE_pcrel | DW_EH_PE_sdata4, what every linker writes
  if (!file_->read_at(header->offset, std::as_writable_bytes(std::span(&start, 1)))) return false;
  if (start.version != 1 || start.pointer_encoding != relative_4_bytes) return false;
  address_ =
      header->address + offsetof(decltype(start), distance) + static_cast<std::uint64_t>(std::int64_t{start.distance});
  const auto place = file_->place_of({address_});
  if (!place || place->offset >= file_->size_bytes()) return false;
  offset_ = place->offset;
  size_ = static_cast<std::uint32_t>(std::min({place->bytes, file_->size_bytes() - offset_, most_bytes}));
  is_open_ = true;
  return true;
}

bool FrameBytes::move_to(std::uint32_t at, std::uint32_t wanted) {
  if (wanted > longest_entry_bytes || is_unreadable_) return false;
  const bool is_whole = size_ <= most_held_bytes;
  if (memory_ == nullptr) memory_ = std::make_unique_for_overwrite<std::byte[]>(is_whole ? size_ : longest_entry_bytes);
  held_at_ = is_whole ? 0 : at;
  const std::uint32_t bytes = is_whole ? size_ : std::min(std::max(part_bytes, wanted), size_ - at);
  const std::span<std::byte> out(memory_.get(), bytes);
  is_unreadable_ = !file_->read_at(offset_ + held_at_, out);
  held_ = is_unreadable_ ? std::span<const std::byte>() : out;
  return !is_unreadable_;
}

}  // namespace profile
