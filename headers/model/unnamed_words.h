// The words of our JSON for why a frame has no name.
#pragma once

#include <iterator>
#include <string_view>

#include "model/profile.h"

namespace profile {

// In the order of Unnamed.
inline constexpr std::string_view unnamed_words[] = {"",
                                                     "pending",
                                                     "no_symbol",
                                                     "file_gone",
                                                     "file_changed",
                                                     "file_malformed",
                                                     "no_jit_map",
                                                     "not_mapped",
                                                     "process_gone",
                                                     "kernel_hidden",
                                                     "no_access",
                                                     "no_answer",
                                                     "parser_gave_up",
                                                     "too_large",
                                                     "out_of_time",
                                                     "not_opened",
                                                     "not_followed",
                                                     "name_lost"};
static_assert(std::size(unnamed_words) == static_cast<std::size_t>(Unnamed::count));

[[nodiscard]] inline std::string_view word_of(Unnamed reason) {
  return unnamed_words[static_cast<std::size_t>(reason)];
}
// An unknown word gives no_symbol.
[[nodiscard]] inline Unnamed unnamed_of(std::string_view word) {
  for (std::size_t i = 1; i < std::size(unnamed_words); ++i) {
    if (unnamed_words[i] == word) return static_cast<Unnamed>(i);
  }
  return Unnamed::no_symbol;
}

}  // namespace profile
