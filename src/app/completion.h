// --completion: prints the script that a shell needs to complete the command line. The script is made from the tables
// of options, events and formats, so it never differs from them.
#pragma once

#include <iosfwd>
#include <string_view>

#include "app/options.h"

namespace profile {

// The shells that there are completions for.
[[nodiscard]] Choices completion_shells();
void print_completion(std::ostream& out, std::string_view shell);

}  // namespace profile
