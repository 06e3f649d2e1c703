// Small files of the kernel's: sysctls, sysfs attributes, /proc/PID/status.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace profile {

// The whole file, at most `limit_bytes` of it; nullopt when it cannot be opened or read (errno says why).
[[nodiscard]] std::optional<std::string> read_text_file(const std::string& path, std::size_t limit_bytes = 1 << 16);
// Its first line, without the newline.
[[nodiscard]] std::optional<std::string> read_first_line(const std::string& path);
// As a decimal number; nullopt when it is none.
[[nodiscard]] std::optional<long> read_number(const std::string& path);
// What stands behind "`key`:" in a text of such lines (/proc/PID/status), white space trimmed; nullopt if not there.
[[nodiscard]] std::optional<std::string_view> find_field(std::string_view text, std::string_view key);

}  // namespace profile
