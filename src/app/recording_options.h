// Reads the options of a recording: where it goes, and what it may keep.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/parsed_options.h"
#include "recording/recording.h"

namespace profile {

// The ending of a file name that makes it a recording.
inline constexpr std::string_view recording_ending = ".db";

// Takes the path of the recording out of `paths`, the values of -o; "" without one. `is_record`: of `profile record`,
// whose first output is one even if its name says nothing, and which makes profile.db if no other is named. Throws a
// usage Error.
[[nodiscard]] std::string take_recording_path(std::vector<std::string>& paths, bool is_record);
// The value of an option for a size, as 500M. `least_words`: how the user would write `least`. Throws a usage Error.
[[nodiscard]] std::uint64_t size_in_bytes(const ParsedOptions& parsed, const char* option, std::uint64_t least,
                                          std::string_view least_words);
// --max-size and --keep. Throws a usage Error.
[[nodiscard]] RecordingLimits recording_limits_of(const ParsedOptions& parsed);
// The number of files of --keep; nullopt: it is not given, or is a time, which is for a recording.
[[nodiscard]] std::optional<std::uint64_t> files_to_keep(const ParsedOptions& parsed);

}  // namespace profile
