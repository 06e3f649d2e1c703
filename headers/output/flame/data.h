// Writes the data of the page as JSON: all at once for a file on disk, in parts for the live page. The data is in
// columns, because 100,000 stacks as objects are ten times as large and slow to read. The script of the page
// (src/output/page/) reads it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/profile.h"
#include "output/flame/table.h"
#include "output/frame_report.h"
#include "output/json_writer.h"

namespace profile {

// The order in which a flame graph is drawn: frames by their texts, and nodes by a depth-first walk in which siblings
// are in the order of their frames. A page that gets its data in this order need not sort it before the first picture.
struct FlameDrawOrder {
  // What the table has, in the other order. Its strings and owners stay as they are.
  std::vector<FlameTable::Frame> frames;
  std::vector<FlameTable::Node> nodes;
  std::vector<FlameTable::Index> node_of;  // the new index of a node, by its index in the table

  [[nodiscard]] std::vector<FlameTable::Cell> moved(std::span<const FlameTable::Cell> cells) const;
};
[[nodiscard]] FlameDrawOrder draw_order_of(const FlameTable& table);

// Each function writes members into the JSON object that is open.

// "run": {"title", "event", "unit", "counted", "tag", "command_line", "began_unix_ms", "duration_s"}
void write_flame_run(JsonWriter& json, const Profile& profile);
// "account": {"taken", "recorded", "idle", "filtered", "lost"}, and "nothing": why_nothing(), if there is a reason
void write_flame_account(JsonWriter& json, const RunInfo& run, const Account& account);
// "names": [line...]: the lines of FrameReport::lines()
void write_flame_names(JsonWriter& json, const FrameReport& names);
// The items of the table from the mark `from` on:
// "strings": [text...], "frames": {"name": [string...], "module": [...], "file": [...], "line": [...], "kind": [...]},
// "owners": {"process": [string...], "pid": [...], "thread": [string...], "tid": [...], "cpu": [number, -1: any...]},
// "nodes": {"parent": [node, -1: none...], "frame": [...]}
void write_flame_table(JsonWriter& json, const FlameTable& table, const FlameTable::Mark& from);
// The whole table, in the order in which the page draws. Cells must be moved to it (FlameDrawOrder::moved()).
void write_flame_table(JsonWriter& json, const FlameTable& table, const FlameDrawOrder& order);
// NAME: {"owner": [...], "node": [node, -1: none...], "value": [...]}
void write_flame_cells(JsonWriter& json, std::string_view name, std::span<const FlameTable::Cell> cells);

}  // namespace profile
