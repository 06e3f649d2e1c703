// Reads samples from a store in ClickHouse, as recording/recording.h does from a file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "input/profile_reader.h"
#include "model/profile.h"
#include "model/sample.h"

namespace profile {

// Asks the store: calls the function with each piece of the answer to the SQL, which may have so many bytes. Throws
// Error.
using AskStore =
    std::function<void(const std::string& sql, std::uint64_t most_bytes, const std::function<void(std::string_view)>&)>;
using OnStoredSample = std::function<void(Profile& profile, const Sample& sample)>;

// Reads what `request` asks for. Without times it is the last hour. `now_s`: Unix time. `on_sample`: called for the sum
// of each tick, process and stack, in the order of time, instead of adding a row for it; if there are more than 256
// ticks, several are one (Profile::tick_ns). The profile has one process for each name, without a number. `name` is
// that of the store in errors. `note` is called with a line about what is missing. Throws Error if the store does not
// have what is asked for, or answers with what makes no sense.
[[nodiscard]] Profile read_store(const AskStore& ask, const std::string& name, const ReadRequest& request,
                                 const OnStoredSample& on_sample, std::int64_t now_s,
                                 const std::function<void(const std::string&)>& note);

// A condition on a column for a pattern in which "*" stands for any text.
[[nodiscard]] std::string sql_matches(std::string_view column, std::string_view pattern);

}  // namespace profile
