// Profiles from files, our own or others': folded lines, pprof, perf script, counted reports, JSON. Pure: bytes in, a
// Profile out; what is no profile is an Error that says where. The files are somebody else's: sizes in them are not
// believed, and memory stays within a small multiple of the file's own (uncompressed) size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/profile.h"

namespace profile {

// Lines among folded ones that are none: what other programs have printed between them.
struct AlienLines {
  std::uint64_t count = 0;
  std::string first;  // "FILE:LINE: why", of the first
};

// `name` is what the bytes are called in errors: "FILE: why", "FILE:LINE: why".

// "thread;root;...;leaf value" a line. What is not told by it is not made up: frames have no address, processes no
// number.
//   - Frames that end in "_[k]" are the kernel's, in "_[i]" inlined in the one before, in "_[j]" of a JIT.
//   - "-" and "--" between two frames part user and kernel (-d); a frame of the second part is the kernel's.
//   - "[incomplete: no CFI]" and the like (model/stack_end.h), outermost, say why the user stack ends there.
//   - "[Missed User Stack]" and "[Missed Kernel Stack]" are what they are; "[module+0xoff]" and "[unknown]" have no
//   name.
//   - Empty lines and those that begin with "#" say nothing.
// Lines that are none are left out and counted in `aliens`, if it is given; nothing but such lines is an Error.
[[nodiscard]] Profile read_folded(std::string_view text, const std::string& name, AlienLines* aliens = nullptr);
// A pprof message, gzip-compressed or not. Of several values of a sample it is the one that the file says is to be
// shown, or the last, and a count of samples where there is one.
[[nodiscard]] Profile read_pprof(std::string_view bytes, const std::string& name);
// What `perf script` prints. Of others' files a sample counts as one, as it does for most who read them; of ours it is
// weighted by its period, which is in the unit that a comment names. Only the first event that is met is read. Lines
// that are none are counted as above.
[[nodiscard]] Profile read_perf_script(std::string_view text, const std::string& name, AlienLines* aliens = nullptr);
[[nodiscard]] bool is_perf_script(std::string_view text);
// The counted format, without the tables that may stand behind the stacks.
[[nodiscard]] Profile read_counted(std::string_view text, const std::string& name);
[[nodiscard]] bool is_counted(std::string_view text);
// Our own JSON, speedscope's and that of --stream; of the first the stacks alone.
[[nodiscard]] Profile read_json_profile(std::string_view text, const std::string& name);
// Any of these, by what the bytes look like.
[[nodiscard]] Profile read_profile(std::string_view bytes, const std::string& name, AlienLines* aliens = nullptr);
// Reads the file ("-": stdin).
[[nodiscard]] Profile read_profile_file(const std::string& path, AlienLines* aliens = nullptr);

}  // namespace profile
