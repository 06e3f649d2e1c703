#include "web/history.h"

#include <sstream>
#include <utility>

#include "output/flame/data.h"
#include "output/page.h"
#include "web/view.h"

namespace profile {
namespace {

constexpr std::uint64_t ns_per_ms = 1'000'000;

// The JSON object whose members `write` writes, on one line without a line end.
template <class Write>
std::string object_text(const Write& write) {
  std::ostringstream out;
  JsonWriter json(out);
  json.begin_object();
  write(json);
  json.end_object();
  json.end_document();
  std::string text = std::move(out).str();
  text.pop_back();
  return text;
}

}  // namespace

LiveHistory::LiveHistory(const RunInfo& run, std::uint64_t began_ns, std::uint64_t unix_offset_ns,
                         const FlameHistory::Limits& limits)
    : window_s_(limits.window_s),
      began_ns_(began_ns),
      unix_offset_ns_(unix_offset_ns),
      stacks_(UnknownRuns::folded, limits),
      table_version_(unix_ms(began_ns)) {
  about_.run = run;
  about_.began_unix_ns = began_ns + unix_offset_ns;
}

std::string LiveHistory::add(const Profile& profile, const Account& account) {
  const FlameTable::Mark from = stacks_.table().mark();
  about_.account = account;
  names_.add(profile);
  const std::uint64_t end_ns = profile.began_ns + profile.duration_ns;
  about_.duration_ns = end_ns > began_ns_ ? end_ns - began_ns_ : 0;
  if (!stacks_.add(profile)) {
    ++table_version_;
    return {};
  }
  return object_text([&](JsonWriter& json) {
    json.member("table_version", table_version_);
    write_sums(json);
    write_flame_table(json, stacks_.table(), from);
    write_tick(json, stacks_.ticks().back());
  });
}

std::uint64_t LiveHistory::unix_ms(std::uint64_t ns) const { return (ns + unix_offset_ns_) / ns_per_ms; }

void LiveHistory::write_tick(JsonWriter& json, const FlameHistory::Tick& tick) const {
  json.member("t", unix_ms(tick.end_ns));
  json.member("d", tick.duration_s);
  write_flame_cells(json, "cells", tick.cells);
}

// Writes the members that change from tick to tick and are not in the table.
void LiveHistory::write_sums(JsonWriter& json) const {
  write_page_account(json, about_.run, about_.account);
  write_page_names(json, names_);
  json.member("folded", stacks_.folded_nodes());
  json.member("skipped", skipped_);
}

std::string LiveHistory::snapshot(std::uint64_t now_ns) const {
  return object_text([&](JsonWriter& json) {
    json.member("table_version", table_version_);
    json.member("now_unix_ms", unix_ms(now_ns));
    json.member("tick_s", live_tick_s);
    json.member("window_s", window_s_);
    write_page_run(json, about_);
    write_sums(json);
    write_flame_table(json, stacks_.table(), FlameTable::Mark{});
    write_flame_cells(json, "total", stacks_.total());
    json.begin_array("ticks");
    for (const FlameHistory::Tick& tick : stacks_.ticks()) {
      json.begin_object();
      write_tick(json, tick);
      json.end_object();
    }
    json.end_array();
  });
}

}  // namespace profile
