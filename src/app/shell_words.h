// Quotes words for a shell, so that a user can copy the command line.
#pragma once

#include <span>
#include <string>

namespace profile {

// "-p 185 -o 'cpu %H.svg'"
[[nodiscard]] std::string shell_quoted(std::span<const char* const> words);

}  // namespace profile
