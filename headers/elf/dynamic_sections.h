// Programs without section headers (sstrip and packers remove them) still have what the dynamic linker needs: its table
// of symbols, which PT_DYNAMIC leads to. This gives the table as sections, so that everything that reads sections can
// read it.
#pragma once

#include <optional>

#include "elf/file.h"

namespace profile {

// The same file, with section headers for its dynamic symbols. nullopt: it has section headers, or no such table that
// can be read. `file` may be destroyed; its descriptor must stay open.
[[nodiscard]] std::optional<ElfFile> with_dynamic_sections(const ElfFile& file);

}  // namespace profile
