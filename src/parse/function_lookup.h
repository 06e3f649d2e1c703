// The other way round than everything else here: from a name to where the file has it, for probes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "parse/file_probes.h"
#include "parse/file_reader.h"

namespace profile {

class DebugFiles;
class ElfFile;

// As FileProbes::search(), in `elf`, which is `file` and open as `fd`. `demangles` is called before names are
// demangled, again and again, with how many it are at most.
[[nodiscard]] NameSearch find_by_name(const ElfFile& elf, int fd, const FileRef& file, DebugFiles& debug_files,
                                      std::string_view name, std::uint64_t added,
                                      const std::function<void(std::size_t)>& demangles);

}  // namespace profile
