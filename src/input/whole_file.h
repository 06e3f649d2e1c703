// Reads a whole untrusted file into memory, up to a limit.
#pragma once

#include <cstddef>
#include <string>

namespace profile {

// No profile is larger. Larger files are refused and not read into memory.
inline constexpr std::size_t largest_profile_bytes = std::size_t{1} << 30;

// "-" is stdin. Throws Error when the file cannot be read or is larger.
[[nodiscard]] std::string read_whole_file(const std::string& path);
// The name of the input in errors: "stdin" for "-".
[[nodiscard]] inline std::string name_of_input(const std::string& path) { return path == "-" ? "stdin" : path; }

}  // namespace profile
