// Cuts a text to a width in cells of a monospaced font. It asks no font, so that svg and png are the same on every
// machine.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace profile {

// Width of a cell in font sizes: the widest of the common monospaced fonts (DejaVu Sans Mono).
inline constexpr double cell_width = 0.602;

// `clean` must be clean text (output/clean_text.h). East Asian characters and most pictographs take two cells;
// combining characters take none, and stay with their letter.
// Returns `clean` if it fits, otherwise its beginning and an ellipsis. Returns "" if no letter fits before the
// ellipsis.
[[nodiscard]] std::string cut_to_cells(std::string_view clean, std::size_t cells);

}  // namespace profile
