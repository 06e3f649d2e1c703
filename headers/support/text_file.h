// Reads small files of the kernel: sysctls, sysfs attributes, /proc/PID/status.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/fd.h"

namespace profile {

// The first `limit_bytes` of the file. nullopt when it cannot be opened or read (errno says why).
[[nodiscard]] std::optional<std::string> read_text_file(const std::string& path, std::size_t limit_bytes = 1 << 16);
// The same of an open file, from its position on.
[[nodiscard]] std::optional<std::string> read_text(const Fd& fd, std::size_t limit_bytes = 1 << 16);
// The first line without the newline.
[[nodiscard]] std::optional<std::string> read_first_line(const std::string& path);
// The decimal number at its start; nullopt when there is none.
[[nodiscard]] std::optional<long> read_number(const std::string& path);
// The text after "`key`:" in lines of that form (/proc/PID/status), without white space around it. nullopt: no such
// line.
[[nodiscard]] std::optional<std::string_view> find_field(std::string_view text, std::string_view key);

}  // namespace profile
