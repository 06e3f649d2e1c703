// Translates the words of our JSON for why a frame has no name.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "model/profile.h"

namespace profile {

// An unknown word gives no_symbol.
inline Unnamed unnamed_of(std::string_view word) {
  constexpr std::string_view words[] = {
      "",           "pending",      "no_symbol",     "file_gone", "file_changed", "file_malformed", "no_jit_map",
      "not_mapped", "process_gone", "kernel_hidden", "no_access", "no_answer",    "parser_gave_up", "too_large"};
  static_assert(std::size(words) == static_cast<std::size_t>(Unnamed::count));
  const auto* const found = std::find(std::begin(words) + 1, std::end(words), word);
  return found == std::end(words) ? Unnamed::no_symbol : static_cast<Unnamed>(found - std::begin(words));
}

}  // namespace profile
