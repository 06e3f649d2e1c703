// Parses the text of a frame as text formats write it: "read [libc.so.6]", "main main.cpp:42", "[dd+0x1234]". A text is
// split only if the formats would write the same text from its parts; any other text stays one name.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/profile.h"

namespace profile {

struct FrameText {
  std::string_view symbol;   // empty: it has no name
  std::string_view module;   // empty: unknown
  std::string_view file;     // empty: unknown
  std::uint32_t line = 0;    // 0: unknown
  std::uint64_t offset = 0;  // in the module, of a frame without a name
};

// A frame of our JSON formats.
struct JsonFrame {
  StringId symbol = StringId::empty;
  StringId module = StringId::empty;
  Unnamed unnamed = Unnamed::named;
  std::uint64_t offset = unknown_offset;
  std::uint64_t function = unknown_offset;
  std::uint64_t address = 0;
  bool is_return = false;
  BinaryId binary = BinaryId::none;
  std::uint64_t binary_address = 0;
  SourceLine at = {};
  std::uint32_t begins_at = 0;
};

// The caller has removed the suffix ("_[k]") from `text`.
[[nodiscard]] FrameText frame_text(std::string_view text);
// Does not look for a module or a source line: the whole text is the name, except "[unknown]" and "[module+0xoff]".
[[nodiscard]] FrameText name_text(std::string_view text);

// The kernel marks the path of a file that was deleted or replaced while it was mapped.
[[nodiscard]] inline std::string_view without_deleted(std::string_view path) {
  constexpr std::string_view mark = " (deleted)";
  return path.ends_with(mark) ? path.substr(0, path.size() - mark.size()) : path;
}

// The frame in `profile` for `text`: without an address, in the space of `process`, or of the kernel by `kind`.
[[nodiscard]] Frame described_frame(Profile& profile, const FrameText& text, FrameKind kind, ProcessId process);
// Adds `read` to `profile`, with the functions that are inlined in it. Without a symbol it has no name.
[[nodiscard]] FrameId add_json_frame(Profile& profile, const JsonFrame& read, FrameKind kind, ProcessId process,
                                     std::span<const InlinedFunction> inlined);

}  // namespace profile
