// The executable lines of /proc/PID/maps, and what kind of code a mapping's name stands for. Pure: text in, data out.
// The text is in part chosen by the process itself: a line can be 32 KB long, with newlines in the path written as
// \012.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "process/code_file.h"

namespace profile {

struct MapsEntry {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;
  FileIdentity file;      // all zero: no file
  std::string_view path;  // as it stands in the text, escapes included
};

// The next executable mapping; takes it and everything before it off `text`. nullopt: no more. Lines that cannot be
// understood are skipped.
[[nodiscard]] std::optional<MapsEntry> next_code_mapping(std::string_view& text);
// Appends the executable ones of `lines` to `out` until that has `limit_bytes`.
void keep_code_lines(std::string_view lines, std::string& out, std::size_t limit_bytes);

enum class CodeKind : std::uint8_t {
  file,
  vdso,
  memory_file,  // a memfd: a program, or what a JIT writes its code into
  anonymous,    // memory of no file that anybody could read: anonymous, shared memory, huge pages, devices
  none          // not worth keeping
};
[[nodiscard]] CodeKind code_kind(std::string_view path, const FileIdentity& file);

// jit-PID.dump, in whatever directory: what a run-time maps so that profilers find it, before it writes into it.
[[nodiscard]] bool is_jit_dump(std::string_view path);

// Without the " (deleted)" that the kernel appends, and with \012 turned into a newline again.
[[nodiscard]] std::string clean_path(std::string_view path);

}  // namespace profile
