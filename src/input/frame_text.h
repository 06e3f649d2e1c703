// A frame as text formats word it, back into what it says: "read [libc.so.6]", "main main.cpp:42", "[dd+0x1234]". What
// is taken apart here reads the same when the formats put it together again; what would not stays one name.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/profile.h"

namespace profile {

struct FrameText {
  std::string_view symbol;  // empty: it has no name
  std::string_view module;  // empty: not told; as are
  std::string_view file;
  std::uint32_t line = 0;
  std::uint64_t offset = 0;  // of what has no name, in its module
};

// `text` has no suffix any more ("_[k]").
[[nodiscard]] FrameText frame_text(std::string_view text);
// The same without looking for a module or a source line: all of it is the name, unless it says that there is none.
[[nodiscard]] FrameText name_text(std::string_view text);

// The frame in `profile` that is described so: without an address, in the space of `process` unless it is the kernel's.
[[nodiscard]] Frame described_frame(Profile& profile, const FrameText& text, FrameKind kind, ProcessId process);

}  // namespace profile
