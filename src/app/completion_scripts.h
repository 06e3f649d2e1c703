// The completion scripts without what they are made from: "@marks@" stand where completion.cpp puts the contents of the
// tables.
#pragma once

#include <string_view>

namespace profile {

[[nodiscard]] std::string_view bash_completion_template();
[[nodiscard]] std::string_view zsh_completion_template();

}  // namespace profile
