// Writes a page that holds its data: it opens from disk and fetches nothing. Its look is defined in src/output/page/.
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output/flame/data.h"
#include "output/flame/view.h"
#include "output/output.h"
#include "output/page.h"
#include "output/page_data.h"
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

void write_data(std::ostream& out, const FlameView& view, const std::string& tables) {
  PageData data(out);
  JsonWriter json(data.json(), JsonWriter::Context::html);
  json.begin_object();
  json.member("version", page_data_version);
  write_about(json, *view.profile);
  write_lines(json, "tables", tables);
  const FlameDrawOrder order = draw_order_of(*view.table);
  write_flame_table(json, *view.table, order);
  write_flame_cells(json, "cells", order.moved(view.cells));
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

void write_page(std::ostream& out, const FlameView& view, const std::string& tables) {
  out << page_before_data(PageUse::file);
  write_data(out, view, tables);
  out << page_after_data();
}

}  // namespace

void write_flame_html(std::ostream& out, const FlameView& view) { write_page(out, view, {}); }

Output make_html(const OutputOptions& options) {
  const auto report = [top = options.top](std::ostream& out, const Profile& profile) {
    std::ostringstream tables;
    write_tables(tables, profile, top);
    write_page(out, OwnFlameView(profile).view(), std::move(tables).str());
  };
  return {.report = report};
}

}  // namespace profile
