// The name of the file or kernel module that holds the code of a frame.
#pragma once

#include <string>
#include <string_view>

#include "model/profile.h"

namespace profile {

// "libc.so.6"; "[kernel]" or "[nf_tables]" for kernel code, in brackets as perf prints it; "" when not known.
inline std::string code_file_name(const Profile& profile, const Frame& frame) {
  std::string name(profile.strings.view(frame.module));
  if (frame.kind == FrameKind::user) return name;
  return "[" + (name.empty() ? "kernel" : name) + "]";
}

}  // namespace profile
