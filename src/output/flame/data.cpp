// Writes the columns directly from the table and copies nothing.
#include "output/flame/data.h"

#include "output/header.h"
#include "output/nothing_recorded.h"
#include "support/clock.h"

namespace profile {
namespace {

constexpr std::uint64_t ns_per_ms = 1'000'000;

// -1 stands for UINT32_MAX (none).
std::int64_t index_of(std::uint32_t index) { return index == UINT32_MAX ? -1 : std::int64_t{index}; }

std::uint32_t string_index(StringId id) { return static_cast<std::uint32_t>(id); }

void write_frames(JsonWriter& json, std::span<const FlameTable::Frame> frames) {
  using Frame = FlameTable::Frame;
  json.begin_object("frames");
  json.array("name", frames, [](const Frame& frame) { return string_index(frame.name); });
  json.array("module", frames, [](const Frame& frame) { return string_index(frame.module); });
  json.array("file", frames, [](const Frame& frame) { return string_index(frame.file); });
  json.array("line", frames, [](const Frame& frame) { return frame.line; });
  json.array("kind", frames, [](const Frame& frame) { return static_cast<unsigned>(frame.kind); });
  json.end_object();
}

void write_owners(JsonWriter& json, std::span<const FlameTable::Owner> owners) {
  using Owner = FlameTable::Owner;
  json.begin_object("owners");
  json.array("process", owners, [](const Owner& owner) { return string_index(owner.process); });
  json.array("pid", owners, [](const Owner& owner) { return owner.tgid; });
  json.array("thread", owners, [](const Owner& owner) { return string_index(owner.thread); });
  json.array("tid", owners, [](const Owner& owner) { return owner.tid; });
  static_assert(any_cpu == FlameTable::none);
  json.array("cpu", owners, [](const Owner& owner) { return index_of(owner.cpu); });
  json.end_object();
}

void write_strings(JsonWriter& json, const StringTable& strings, std::size_t from) {
  json.begin_array("strings");
  for (std::size_t i = from; i < strings.size(); ++i) json.value(strings.view(static_cast<StringId>(i)));
  json.end_array();
}

void write_nodes(JsonWriter& json, std::span<const FlameTable::Node> nodes) {
  json.begin_object("nodes");
  json.array("parent", nodes, [](const FlameTable::Node& node) { return index_of(node.parent); });
  json.array("frame", nodes, [](const FlameTable::Node& node) { return node.frame; });
  json.end_object();
}

}  // namespace

void write_flame_run(JsonWriter& json, const Profile& profile) {
  json.begin_object("run");
  json.member("title", title_of(profile.run));
  json.member("event", profile.run.event);
  json.member("unit", profile.run.unit);
  json.member("counted", profile.run.counted);
  json.member("tag", profile.run.tag);
  json.member("command_line", profile.run.command_line);
  json.member("began_unix_ms", profile.began_unix_ns / ns_per_ms);
  json.member("duration_s", to_seconds(profile.duration_ns));
  if (profile.run.is_state) json.member("is_state", true);
  json.end_object();
}

void write_flame_account(JsonWriter& json, const RunInfo& run, const Account& account) {
  json.begin_object("account");
  json.member("taken", account.taken);
  json.member("recorded", account.recorded);
  json.member("idle", account.idle);
  json.member("filtered", account.filtered);
  json.member("lost", account.lost());
  if (const std::string why = why_nothing(run, account); !why.empty()) json.member("nothing", why);
  json.end_object();
}

void write_flame_names(JsonWriter& json, const FrameReport& names) { json.array("names", names.lines()); }

void write_flame_table(JsonWriter& json, const FlameTable& table, const FlameTable::Mark& from) {
  write_strings(json, table.strings(), from.strings);
  write_frames(json, std::span(table.frames()).subspan(from.frames));
  write_owners(json, std::span(table.owners()).subspan(from.owners));
  write_nodes(json, std::span(table.nodes()).subspan(from.nodes));
}

void write_flame_table(JsonWriter& json, const FlameTable& table, const FlameDrawOrder& order) {
  write_strings(json, table.strings(), 0);
  write_frames(json, order.frames);
  write_owners(json, table.owners());
  write_nodes(json, order.nodes);
}

void write_flame_cells(JsonWriter& json, std::string_view name, std::span<const FlameTable::Cell> cells) {
  using Cell = FlameTable::Cell;
  json.begin_object(name);
  json.array("owner", cells, [](const Cell& cell) { return cell.owner; });
  json.array("node", cells, [](const Cell& cell) { return index_of(cell.node); });
  json.array("value", cells, [](const Cell& cell) { return cell.value; });
  json.end_object();
}

}  // namespace profile
