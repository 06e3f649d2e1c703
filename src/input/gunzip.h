// Gzip-compressed files, several members behind each other too. What they unpack to is bounded: a thousand bytes of
// zeros are one byte here.
#pragma once

#include <string>
#include <string_view>

namespace profile {

[[nodiscard]] inline bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }
// Throws Error for what is damaged, cut off or too large. `name` is that of the file.
[[nodiscard]] std::string gunzip(std::string_view bytes, const std::string& name);

}  // namespace profile
