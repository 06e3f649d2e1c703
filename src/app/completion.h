// --completion: what a shell needs to complete the command line, made from THE tables of options, events and formats.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace profile {

// `typed` when there are completions for that shell. Throws a usage Error naming those there are.
[[nodiscard]] std::string completion_shell(const std::string& typed);
void print_completion(std::ostream& out, std::string_view shell);

}  // namespace profile
