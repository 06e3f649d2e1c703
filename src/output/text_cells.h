// How wide a text is in a monospaced font, in cells, and where it may be cut. Pictures are drawn without asking any
// font, so that svg and png are the same everywhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace profile {

// The widest that the monospaced fonts in common use have (DejaVu Sans Mono), in parts of the size of the font.
inline constexpr double cell_width = 0.602;

// Of clean text (output/clean_text.h). A character of East Asian scripts and most pictographs take two cells, what
// combines with the character in front of it none.
[[nodiscard]] std::size_t cells_of(std::string_view clean);
// `clean` where it fits; otherwise as much of its beginning as fits with an ellipsis behind it, and nothing where that
// would be no letter at all. A character and what combines with it stay together.
[[nodiscard]] std::string cut_to_cells(std::string_view clean, std::size_t cells);

}  // namespace profile
