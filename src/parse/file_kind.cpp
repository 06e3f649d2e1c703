#include "parse/file_kind.h"

#include <elf.h>
#include <unistd.h>

#include <string_view>

namespace profile {

bool begins_as(FileKind kind, int fd) {
  char bytes[SELFMAG];
  if (kind == FileKind::perf_map || kind == FileKind::text) return true;
  if (::pread(fd, bytes, sizeof bytes, 0) != sizeof bytes) return false;
  const std::string_view start(bytes, sizeof bytes);
  if (kind == FileKind::elf) return start == std::string_view(ELFMAG, SELFMAG);
  constexpr std::string_view dump_start = "DTiJ";  // of a little-endian machine, as ours are
  return start == dump_start;
}

}  // namespace profile
