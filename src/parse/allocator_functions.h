// What functions an allocator has that give and take memory, and where, for `-e malloc`.
#pragma once

#include <vector>

#include "parse/file_probes.h"

namespace profile {

class ElfFile;

// Each place once; none when `elf` is no allocator.
[[nodiscard]] std::vector<AllocatorFunction> allocator_functions(const ElfFile& elf);

}  // namespace profile
