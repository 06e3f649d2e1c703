// A page that holds its data: it opens from disk, and nothing is fetched. What it looks like is src/output/page/.
#include <ostream>

#include "output/flame_data.h"
#include "output/flame_view.h"
#include "output/formats.h"
#include "output/page.h"

namespace profile {
namespace {

void write_data(std::ostream& out, const FlameView& view) {
  JsonWriter json(out, JsonWriter::Place::html);
  json.begin_object();
  json.member("version", page_data_version);
  write_flame_run(json, *view.profile);
  if (view.profile->account.is_known) write_flame_account(json, view.profile->account);
  write_flame_table(json, *view.table, {});
  write_flame_cells(json, "cells", view.cells);
  if (view.before != nullptr) {
    json.begin_object("before");
    write_flame_run(json, *view.before);
    if (view.before->account.is_known) write_flame_account(json, view.before->account);
    write_flame_cells(json, "cells", view.before_cells);
    json.end_object();
  }
  json.end_object();
  json.end_document();
}

class Html final : public Output {
 public:
  void report(std::ostream& out, const Profile& profile) const override {
    write_flame_html(out, OwnFlameView(profile).view());
  }
};

}  // namespace

void write_flame_html(std::ostream& out, const FlameView& view) {
  out << page_before_data(PageUse::file);
  write_data(out, view);
  out << page_after_data();
}

std::unique_ptr<Output> make_html(const OutputOptions&) { return std::make_unique<Html>(); }

}  // namespace profile
