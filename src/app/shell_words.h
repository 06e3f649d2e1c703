// Words as a shell would have to be given them.
#pragma once

#include <span>
#include <string>

namespace profile {

// "-p 185 -o 'cpu %H.svg'"
[[nodiscard]] std::string shell_quoted(std::span<const char* const> words);

}  // namespace profile
