// The data of the page, as JSON: of a file that is opened from disk all at once, of the live page bit by bit. Columns,
// because 100,000 stacks as objects would be ten times as large and slow to read. The script of the page,
// src/output/page/, reads it.
#pragma once

#include <span>
#include <string_view>

#include "model/profile.h"
#include "output/flame/table.h"
#include "output/frame_report.h"
#include "output/json_writer.h"

namespace profile {

// Each writes members into the object under way.

// "run": {"title", "event", "unit", "counted", "tag", "command_line", "began_unix_ms", "duration_s"}
void write_flame_run(JsonWriter& json, const Profile& profile);
// "account": {"taken", "recorded", "idle", "filtered", "lost"}
void write_flame_account(JsonWriter& json, const Account& account);
// "names": [line...]: which frames have none and why, as the summary says it
void write_flame_names(JsonWriter& json, const FrameReport& names);
// What stands in the table behind `from`:
// "strings": [text...], "frames": {"name": [string...], "module": [...], "file": [...], "line": [...], "kind": [...]},
// "owners": {"process": [string...], "pid": [...], "thread": [string...], "tid": [...], "cpu": [number, -1: any...]},
// "nodes": {"parent": [node, -1: none...], "frame": [...]}
void write_flame_table(JsonWriter& json, const FlameTable& table, const FlameTable::Mark& from);
// NAME: {"owner": [...], "node": [node, -1: none...], "value": [...]}
void write_flame_cells(JsonWriter& json, std::string_view name, std::span<const FlameTable::Cell> cells);

}  // namespace profile
