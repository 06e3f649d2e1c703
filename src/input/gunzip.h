// Unpacks gzip-compressed files, also files of several members. The unpacked size has a limit, because gzip can pack a
// thousand zero bytes into one byte.
#pragma once

#include <string>
#include <string_view>

namespace profile {

[[nodiscard]] inline bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }
// Throws Error if the file is damaged, cut off or too large. `name` is the name of the file.
[[nodiscard]] std::string gunzip(std::string_view bytes, const std::string& name);

}  // namespace profile
