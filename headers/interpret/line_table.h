// The line of a position in a function of a script, by the table that the interpreter keeps for it. Another user's
// program may have made the table; any bytes are read within their bounds.
#pragma once

#include <cstdint>
#include <span>

#include "abi/script.h"

namespace profile {

// `position`: as in frames' words (abi/script.h). `first_line`: where the function begins. `table`: not used where the
// position is the line. 0: the line is not known, or the instruction belongs to none.
[[nodiscard]] std::uint32_t line_at(script_lines form, std::uint64_t position, std::uint32_t first_line,
                                    std::span<const std::uint8_t> table);

}  // namespace profile
