// --completion: prints the script that a shell needs to complete the command line. The script is made from the tables
// of options, events and formats, so it never differs from them.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace profile {

// Returns `typed` if there are completions for that shell. Otherwise throws a usage Error that names the known shells.
[[nodiscard]] std::string completion_shell(const std::string& typed);
void print_completion(std::ostream& out, std::string_view shell);

}  // namespace profile
