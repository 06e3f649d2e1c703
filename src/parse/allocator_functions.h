// Finds the functions of an allocator that give and take memory, and where they are, for `-e malloc`.
#pragma once

#include <vector>

#include "parse/file_probes.h"

namespace profile {

class ElfFile;

// Each place occurs once. Empty when `elf` is no allocator.
[[nodiscard]] std::vector<AllocatorFunction> allocator_functions(const ElfFile& elf);

}  // namespace profile
