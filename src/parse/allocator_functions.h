// Finds the functions of an allocator that give and take memory, and where they are, for `-e malloc`.
#pragma once

#include <vector>

#include "parse/file_probes.h"

namespace profile {

class ElfFile;

// Each place occurs once. Empty when the file is no allocator, or has too much to read.
[[nodiscard]] std::vector<AllocatorFunction> allocator_functions(const ElfFile& file);

}  // namespace profile
