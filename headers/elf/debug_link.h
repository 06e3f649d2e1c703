// Reads where the debug information of a stripped file is: .gnu_debuglink names a file and its checksum,
// .gnu_debugaltlink names a file with the part that several debug files share (made by dwz). Both texts come
// from an untrusted file; debug_files decides what is opened because of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "elf/file.h"

namespace profile {

struct DebugLink {
  std::string name;  // a bare file name: no '/', not "." or ".."
  std::uint32_t crc = 0;
};
// nullopt: `file` has no such link, or a malformed one.
[[nodiscard]] std::optional<DebugLink> read_debug_link(const ElfFile& file);

struct AlternateLink {
  std::string path;      // absolute, or relative to the directory of the file that has the link
  std::string build_id;  // in lower-case hex; never empty
};
[[nodiscard]] std::optional<AlternateLink> read_alternate_link(const ElfFile& file);

// The checksum that .gnu_debuglink uses, of the whole file. nullopt when the file is larger than `most_bytes` or
// unreadable.
[[nodiscard]] std::optional<std::uint32_t> crc32_of(const FileBytes& file, std::uint64_t most_bytes);

}  // namespace profile
