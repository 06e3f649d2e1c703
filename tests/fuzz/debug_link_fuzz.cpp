// .gnu_debuglink and .gnu_debugaltlink with the same bytes. An accepted link must be safe to open.
#include "elf/debug_link.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../made_elf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace profile;
  const std::string content(reinterpret_cast<const char*>(data), size);
  const Fd fd = test::in_memory(test::made_elf(
      {{.name = ".gnu_debuglink", .content = content}, {.name = ".gnu_debugaltlink", .content = content}}));
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  if (!file) std::abort();
  if (const auto link = read_debug_link(*file)) {
    const std::string& name = link->name;
    if (name.empty() || name.size() > 255 || name == "." || name == "..") std::abort();
    if (name.find('/') != std::string::npos || name.find('\0') != std::string::npos) std::abort();
  }
  if (const auto link = read_alternate_link(*file)) {
    if (link->path.empty() || link->path.find('\0') != std::string::npos) std::abort();
    if (link->build_id.empty() || link->build_id.find_first_not_of("0123456789abcdef") != std::string::npos)
      std::abort();
  }
  return 0;
}
