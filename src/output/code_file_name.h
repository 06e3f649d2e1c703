// What formats with a place for it say a frame's code lies in.
#pragma once

#include <string>
#include <string_view>

#include "model/profile.h"

namespace profile {

// "libc.so.6"; "[kernel]" and "[nf_tables]", for what is no file stands in brackets, as with perf; "" when not known.
inline std::string code_file_name(const Profile& profile, const Frame& frame) {
  std::string name(profile.strings.view(frame.module));
  if (frame.kind == FrameKind::user) return name;
  return "[" + (name.empty() ? "kernel" : name) + "]";
}

}  // namespace profile
