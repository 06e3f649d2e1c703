// The parts of the JSON document; each is in the file of its name: json_stacks, json_syscalls, json_durations.
// man/profile.schema.json describes them, and the tests check every document against it.
#pragma once

#include <cstddef>
#include <functional>

#include "model/profile.h"
#include "output/json_writer.h"
#include "output/measures.h"

namespace profile {

// Writes the stacks of the `wanted` rows as an object with tables of processes, modules, frames and stacks.
void write_json_stacks(JsonWriter& json, const Profile& profile, const std::function<bool(const Row&)>& wanted);
// `profile.syscalls` must be set.
void write_json_syscalls(JsonWriter& json, const Profile& profile, std::size_t top);
// `profile.thread_waits` must be set; `stack_traces` writes the value of the member of that name.
void write_json_waits(JsonWriter& json, const Profile& profile, std::size_t top,
                      const std::function<void()>& stack_traces);
void write_json_duration_tables(JsonWriter& json, const Profile& profile);
// Writes an object of count, total, mean and extremes, and of the histogram if there is one.
void write_json_durations(JsonWriter& json, const Durations& durations);
// Writes the values that it visits as members of the object that is open.
[[nodiscard]] MeasureVisit json_members(JsonWriter& json);

}  // namespace profile
