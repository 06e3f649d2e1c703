// All bytes of a file of somebody else's.
#pragma once

#include <cstddef>
#include <string>

namespace profile {

// No profile is larger; what claims to be is not read into memory.
inline constexpr std::size_t largest_profile_bytes = std::size_t{1} << 30;

// "-" is stdin. Throws Error when it cannot be read or is larger.
[[nodiscard]] std::string read_whole_file(const std::string& path);
// As errors call it: "stdin" for "-".
[[nodiscard]] inline std::string name_of_input(const std::string& path) { return path == "-" ? "stdin" : path; }

}  // namespace profile
