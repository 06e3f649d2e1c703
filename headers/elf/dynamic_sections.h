// Programs whose section headers were taken away (sstrip, packers) still carry what the dynamic linker needs: its table
// of symbols, found by way of PT_DYNAMIC. Given back as sections, so that everything that reads those reads these.
#pragma once

#include <optional>

#include "elf/file.h"

namespace profile {

// The same file with section headers for its dynamic symbols. nullopt: it has section headers, or no such table that
// can be read. `file` may go; its descriptor must stay.
[[nodiscard]] std::optional<ElfFile> with_dynamic_sections(const ElfFile& file);

}  // namespace profile
