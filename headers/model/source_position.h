// A function at a place in code, and where that place is in the source.
#pragma once

#include <cstdint>

#include "model/string_table.h"

namespace profile {

// Its ids belong to the string table that comes with it.
struct SourcePosition {
  StringId function = StringId::empty;  // empty when not known
  StringId file = StringId::empty;      // its path as the compiler knew it; empty when not known
  std::uint32_t line = 0;               // 0: not known
};

}  // namespace profile
