#include "elf/debug_link.h"

#include <limits.h>
#include <lzma.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace profile {
namespace {

constexpr std::size_t checksum_chunk_bytes = 262144;

// All of a small section. Empty when there is no such section, it cannot be read whole, or it is larger than
// `most_bytes`.
std::string text_of(const ElfFile& file, std::string_view name, std::uint64_t most_bytes) {
  const ElfSection* const section = file.section(name);
  if (section == nullptr || section->size > most_bytes || !file.holds(*section)) return {};
  std::string text(section->size, '\0');
  if (!file.read_at(section->offset, std::as_writable_bytes(std::span(text)))) return {};
  return text;
}

}  // namespace

// The section holds the name, zeros up to a multiple of four (at least one), the checksum in the file's byte order, and
// nothing else.
std::optional<DebugLink> read_debug_link(const ElfFile& file) {
  constexpr std::size_t longest = (std::size_t{NAME_MAX} + 4) / 4 * 4 + sizeof(std::uint32_t);
  const std::string text = text_of(file, ".gnu_debuglink", longest);
  DebugLink link;
  if (text.size() < 4 + sizeof link.crc) return std::nullopt;
  const std::size_t crc_at = text.size() - sizeof link.crc;
  link.name = text.substr(0, text.find('\0'));
  if (link.name.empty() || link.name.size() > NAME_MAX || crc_at != link.name.size() / 4 * 4 + 4) return std::nullopt;
  if (text.find_first_not_of('\0', link.name.size()) < crc_at) return std::nullopt;
  if (link.name == "." || link.name == ".." || link.name.find('/') != std::string::npos) return std::nullopt;
  std::memcpy(&link.crc, text.data() + crc_at, sizeof link.crc);
  return link;
}

// The section holds the path, a zero, and the bytes of the build-id.
std::optional<AlternateLink> read_alternate_link(const ElfFile& file) {
  const std::string text = text_of(file, ".gnu_debugaltlink", PATH_MAX + max_build_id_bytes);
  AlternateLink link;
  link.path = text.substr(0, text.find('\0'));
  if (link.path.empty() || link.path.size() + 1 >= text.size()) return std::nullopt;
  const std::string_view id = std::string_view(text).substr(link.path.size() + 1);
  if (id.size() > max_build_id_bytes) return std::nullopt;
  link.build_id = in_hex(std::as_bytes(std::span(id)));
  return link;
}

std::optional<std::uint32_t> crc32_of(const FileBytes& file, std::uint64_t most_bytes) {
  if (!file || file.size_bytes() > most_bytes) return std::nullopt;
  std::vector<std::uint8_t> chunk(checksum_chunk_bytes);
  std::uint32_t crc = 0;
  for (std::uint64_t at = 0; at < file.size_bytes(); at += chunk.size()) {
    chunk.resize(std::min<std::uint64_t>(checksum_chunk_bytes, file.size_bytes() - at));
    if (!file.read_at(at, std::as_writable_bytes(std::span(chunk)))) return std::nullopt;
    crc = lzma_crc32(chunk.data(), chunk.size(), crc);
  }
  return crc;
}

}  // namespace profile
