// The parts of the JSON document, each written by the file of its name: json_stacks, json_syscalls, json_durations.
// What they look like is told by man/profile.schema.json, which every document is tested against.
#pragma once

#include <cstddef>
#include <functional>

#include "model/profile.h"
#include "output/json_writer.h"

namespace profile {

// The stacks of the rows that are `wanted`, as an object with a table each of processes, modules, frames and stacks.
void write_json_stacks(JsonWriter& json, const Profile& profile, const std::function<bool(const Row&)>& wanted);
// `profile` has counted system calls.
void write_json_syscalls(JsonWriter& json, const Profile& profile, std::size_t top);
// `profile` has thread_waits; `stack_traces` writes the value of that name.
void write_json_waits(JsonWriter& json, const Profile& profile, std::size_t top,
                      const std::function<void()>& stack_traces);
void write_json_duration_tables(JsonWriter& json, const Profile& profile);
// An object of count, total, mean, extremes, and the histogram where there is one.
void write_json_durations(JsonWriter& json, const Durations& durations);

}  // namespace profile
