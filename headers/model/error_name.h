// Names and meanings of the errors of system calls.
#pragma once

#include <string>

namespace profile {

// "ENOENT"; "error 999" for a number that has no name.
[[nodiscard]] std::string error_name(int error);
// "No such file or directory"; empty for a number that has no name.
[[nodiscard]] std::string error_meaning(int error);

}  // namespace profile
