// Finds the places of a name in a file, for probes. Everything else here goes from a place to its name.
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

// Works as FileProbes::search(), in `elf`, which is `file` and open as `fd`. `demangles` is called again and again
// before names are demangled, with how many come at most.
[[nodiscard]] NameSearch find_by_name(const ElfFile& elf, int fd, const FileRef& file, DebugFiles& debug_files,
                                      std::string_view name, std::uint64_t added,
                                      const std::function<void(std::size_t)>& demangles);

}  // namespace profile
