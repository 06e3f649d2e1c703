// Writes a page that holds its data: it opens from disk and fetches nothing. Its look is defined in src/output/page/.
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "output/flame/data.h"
#include "output/flame/view.h"
#include "output/output.h"
#include "output/page.h"
#include "output/page_data.h"
#include "output/page_times.h"
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

bool has_times(const FlameView& view) {
  const auto& timeline = view.profile->timeline;
  return view.before == nullptr && timeline && !timeline->samples.empty();
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
  if (has_times(view)) write_page_times(json, *view.profile);
  if (view.before != nullptr) {
    json.begin_object("before");
    write_about(json, *view.before);
    write_flame_cells(json, "cells", order.moved(view.before_cells));
    json.end_object();
  }
  json.end_object();
  json.end_document();
  data.finish();
}

void write_page(std::ostream& out, const FlameView& view, const std::string& tables) {
  out << page_before_data(PageUse::file);
  write_data(out, view, tables);
  if (has_times(view)) {
    out << page_before_samples();
    write_page_samples(out, *view.profile, view.cell_of_row);
  }
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
