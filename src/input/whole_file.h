// Reads a whole untrusted file into memory, and unpacks it, up to a limit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace profile {

// No profile is larger. Larger files are refused and not read into memory.
inline constexpr std::size_t largest_profile_bytes = std::size_t{1} << 30;

// "-" is stdin. Throws Error when the file cannot be read or is larger.
[[nodiscard]] std::string read_whole_file(const std::string& path);
// The name of the input in errors: "stdin" for "-".
[[nodiscard]] inline std::string name_of_input(const std::string& path) { return path == "-" ? "stdin" : path; }

[[nodiscard]] inline bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }
// Unpacks a gzip-compressed file, also one of several members. The unpacked size has a limit, because gzip can pack a
// thousand zero bytes into one byte. Throws Error if the file is damaged, cut off or too large. `name` is the name of
// the file.
[[nodiscard]] std::string gunzip(std::string_view bytes, const std::string& name);

}  // namespace profile
