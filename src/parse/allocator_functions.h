// Finds the functions of an allocator that give and take memory, and where they are, for `-e malloc`.
#pragma once

#include <cstddef>
#include <vector>

#include "parse/file_probes.h"

namespace profile {

class ElfFile;

// The most functions of one file: several versions of each of the nine that there are.
inline constexpr std::size_t most_allocator_functions = 64;

// Each place occurs once. Empty when the file is no allocator, or has too many functions or too much to read.
[[nodiscard]] std::vector<AllocatorFunction> allocator_functions(const ElfFile& file);

}  // namespace profile
