// Reads the executable lines of /proc/PID/maps, and says which kind of code a mapping's name means. Pure: text in, data
// out. The process itself chooses part of the text: a line can be 32 KB long, with newlines in the path written as
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
  std::string_view path;  // as in the text, escapes included
  // The memory is the process's own, and holds a copy of this part of the file: see copied_part().
  bool is_copy = false;
};

// Some programs copy their own code into memory of their own, at the same addresses, so that it lies in huge pages. The
// mappings before and behind it are of the program's file then, and leave out just this part. Returns the entry with
// the file, or nullopt where that is not so.
[[nodiscard]] std::optional<MapsEntry> copied_part(const MapsEntry& before, const MapsEntry& anonymous,
                                                   const MapsEntry& behind);
// Appends the entry as an executable line, in the form that next_code_mapping() reads.
void append_code_line(const MapsEntry& entry, std::string& out);

// Returns the next executable mapping, and removes it and everything before it from `text`. nullopt: there are no more.
// Skips lines that it cannot understand.
[[nodiscard]] std::optional<MapsEntry> next_code_mapping(std::string_view& text);
// Appends the executable lines of `lines` to `out`, until `out` has `limit_bytes`. Before a copied part comes the
// mapping before it, because the file can be opened through that one alone.
void keep_code_lines(std::string_view lines, std::string& out, std::size_t limit_bytes);

enum class CodeKind : std::uint8_t {
  file,
  vdso,
  memory_file,  // a memfd: a program, or memory where a JIT writes its code
  anonymous,    // no file that can be read: anonymous or shared memory, huge pages, devices
  unfollowed,   // not known: it was mapped too fast to be followed
  none          // not kept
};
[[nodiscard]] CodeKind code_kind(std::string_view path, const FileIdentity& file);

// Whether the file is jit-PID.dump, in any directory. A run-time maps this file, before it writes into it, so that
// profilers find it.
[[nodiscard]] bool is_jit_dump(std::string_view path);

// Returns the path without the " (deleted)" that the kernel appends, and with \012 turned back into a newline.
[[nodiscard]] std::string clean_path(std::string_view path);

}  // namespace profile
