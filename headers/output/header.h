// What a run does: the line that text formats print above their reports, in the words of profile.py, and titles.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "model/profile.h"

namespace profile {

// "Sampling at 49 Hertz of all threads by user + kernel stack for 5 secs."
[[nodiscard]] std::string header_line(const RunInfo& run);
// The line and an empty one.
void write_header(std::ostream& out, const RunInfo& run);

// The same line without "... Hit Ctrl-C to end.".
[[nodiscard]] std::string header_title(const RunInfo& run);

// As people say it: "make -j2: user and kernel stacks, 199 Hz, 12 s". `duration_ns`: of the sampling; 0: not known, and
// what was asked for is taken. A profile that was read from a file may have only the header of that file.
[[nodiscard]] std::string title_of(const RunInfo& run, std::uint64_t duration_ns);
[[nodiscard]] inline std::string title_of(const Profile& profile) { return title_of(profile.run, profile.duration_ns); }
// Where and when: "build7, 2026-11-28 06:12:33 UTC"; empty when nothing is known.
[[nodiscard]] std::string place_of(const RunInfo& run, std::uint64_t began_unix_ns);
// "06:12:33 UTC"; empty when the time is not known.
[[nodiscard]] std::string clock_time_of(std::uint64_t began_unix_ns);

}  // namespace profile
