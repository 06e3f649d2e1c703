// Writes a page that holds its data: it opens from disk and fetches nothing. Its look is defined in src/output/page/.
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output/clean_text.h"
#include "output/flame/data.h"
#include "output/flame/view.h"
#include "output/output.h"
#include "output/page.h"
#include "output/page_data.h"
#include "output/page_times.h"
#include "output/shown_frame.h"
#include "output/tables.h"
#include "support/text_parts.h"

namespace profile {
namespace {

void write_about(JsonWriter& json, const Profile& profile) {
  write_page_run(json, profile);
  if (profile.account.is_known) write_page_account(json, profile.run, profile.account);
  FrameReport names;
  names.add(profile);
  write_page_names(json, names);
  json.array("notes", profile.notes, [](const std::string& note) { return clean_text(note); });
}

// Writes the lines as an array, because JsonWriter replaces line breaks in texts.
void write_lines(JsonWriter& json, std::string_view name, std::string_view text) {
  json.begin_array(name);
  while (!text.empty()) json.value(take_until(text, '\n'));
  json.end_array();
}

// The functions whose change is known, in columns; margins are of their total.
void write_changes(JsonWriter& json, const FlameView& view) {
  std::vector<FlameTable::Index> known;
  const std::vector<FunctionChange>& changes = view.changes->functions();
  for (FlameTable::Index frame = 0; frame < view.table->frames().size(); ++frame) {
    if (changes[frame].total.is_known()) known.push_back(frame);
  }
  const auto& frames = view.table->frames();
  const auto id = [](StringId text) { return static_cast<std::uint32_t>(text); };
  json.begin_object("changes");
  json.array("name", known, [&](FlameTable::Index i) { return id(frames[i].name); });
  json.array("module", known, [&](FlameTable::Index i) { return id(frames[i].module); });
  json.array("margin", known, [&](FlameTable::Index i) { return changes[i].total.margin(); });
  json.array("sure", known, [&](FlameTable::Index i) { return changes[i].is_total_sure ? 1U : 0U; });
  json.end_object();
}

// [line, total, self, text]
void write_listed(JsonWriter& json, const ListedLine& line) {
  json.begin_array();
  json.value(line.line);
  json.value(line.value.total);
  json.value(line.value.self);
  json.value(clean_source_text(line.text));
  json.end_array();
}

// [address, line, total, self, text, whether it is after a gap]
void write_listed(JsonWriter& json, const ListedInstruction& instruction) {
  std::string address;
  append_number(address, hex(instruction.address));
  json.begin_array();
  json.value(address);
  json.value(instruction.line);
  json.value(instruction.value.total);
  json.value(instruction.value.self);
  json.value(instruction.text);
  json.value(instruction.is_after_gap ? 1U : 0U);
  json.end_array();
}

void write_function(JsonWriter& json, const FunctionListing& function) {
  json.begin_object();
  json.member("name", function.name);
  json.member("module", function.module);
  json.member("total", function.value.total);
  json.member("self", function.value.self);
  json.begin_array("files");
  for (const ListedFile& file : function.files) {
    json.begin_object();
    json.member("path", file.path);
    if (!file.why_no_text.empty()) json.member("why", file.why_no_text);
    if (file.is_newer) json.member("newer", true);
    json.begin_array("lines");
    for (const ListedLine& line : file.lines) write_listed(json, line);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.begin_array("codes");
  for (const ListedCode& code : function.codes) {
    json.begin_object();
    json.member("binary", code.binary);
    if (code.holder != function.symbol) json.member("holder", code.holder);
    if (!code.why_none.empty()) json.member("why", code.why_none);
    json.begin_array("instructions");
    for (const ListedInstruction& instruction : code.instructions) write_listed(json, instruction);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_sources(JsonWriter& json, const Profile& profile, const SourceListings& sources) {
  json.begin_object("sources");
  json.member("total", profile.total());
  json.begin_array("notes");
  for (const std::string& note : sources.notes) json.value(note);
  json.end_array();
  json.begin_array("functions");
  for (const FunctionListing& function : sources.functions) write_function(json, function);
  json.end_array();
  json.end_object();
}

bool has_times(const FlameView& view) {
  const auto& timeline = view.profile->timeline;
  return view.before == nullptr && timeline && !timeline->samples.empty();
}

void write_data(std::ostream& out, const FlameView& view, const std::string& tables, const SourceListings* sources) {
  PageData data(out);
  JsonWriter json(data.json(), JsonWriter::Context::html);
  json.begin_object();
  json.member("version", page_data_version);
  write_about(json, *view.profile);
  write_lines(json, "tables", tables);
  if (sources != nullptr) write_sources(json, *view.profile, *sources);
  const FlameDrawOrder order = draw_order_of(*view.table);
  write_flame_table(json, *view.table, order);
  write_flame_cells(json, "cells", order.moved(view.cells));
  if (has_times(view)) write_page_times(json, *view.profile);
  if (view.before != nullptr) {
    json.begin_object("before");
    write_about(json, *view.before);
    write_flame_cells(json, "cells", order.moved(view.before_cells));
    if (view.changes != nullptr) write_changes(json, view);
    json.end_object();
  }
  json.end_object();
  json.end_document();
  data.finish();
}

void write_page(std::ostream& out, const FlameView& view, const std::string& tables, const SourceListings* sources) {
  out << page_before_data(PageUse::file);
  write_data(out, view, tables, sources);
  if (has_times(view)) {
    out << page_before_samples();
    write_page_samples(out, *view.profile, view.cell_of_row);
  }
  out << page_after_data();
}

}  // namespace

void write_flame_html(std::ostream& out, const FlameView& view) { write_page(out, view, {}, nullptr); }

Output make_html(const OutputOptions& options) {
  const auto report = [top = options.top, find = options.sources](std::ostream& out, const Profile& profile) {
    std::ostringstream tables;
    write_tables(tables, profile, top);
    std::optional<SourceListings> sources;
    if (find) sources = find(profile);
    write_page(out, OwnFlameView(profile).view(), std::move(tables).str(), sources ? &*sources : nullptr);
  };
  return {.report = report};
}

}  // namespace profile
