// Returns the parts of the page and adds the servers that it may connect to. At build time scripts/embed-page.cmake
// joins the files of src/output/page/ into page_text.h.
#include "output/page.h"

#include <string>

#include "output/header.h"
#include "output/nothing_recorded.h"
#include "output/page_text.h"
#include "support/clock.h"

namespace profile {
namespace {

constexpr std::uint64_t ns_per_ms = 1'000'000;

std::string head_that_connects_to(std::string_view source) {
  std::string head(page_text::before_connect);
  return head.append(source).append(page_text::before_data);
}

}  // namespace

std::string_view page_before_data(PageUse use) {
  static const std::string live = head_that_connects_to("'self'");
  static const std::string file = head_that_connects_to("'none'");
  return use == PageUse::live ? live : file;
}

std::string page_policy() {
  return std::string(page_text::policy).append("; connect-src 'self'; frame-ancestors 'none'");
}

std::string_view page_before_samples() { return "</script>\n<script type=\"text/plain\" id=\"samples\">"; }

std::string_view page_after_data() { return page_text::after_data; }

void write_page_run(JsonWriter& json, const Profile& profile) {
  json.begin_object("run");
  json.member("title", title_of(profile));
  json.member("event", profile.run.event);
  json.member("unit", profile.run.unit.word());
  json.member("counted", profile.run.counted);
  json.member("tag", profile.run.tag);
  json.member("command_line", profile.run.command_line);
  if (!profile.run.host.empty()) json.member("host", profile.run.host);
  json.member("began_unix_ms", profile.began_unix_ns / ns_per_ms);
  json.member("duration_s", to_seconds(profile.duration_ns));
  if (profile.run.is_state) json.member("is_state", true);
  if (profile.run.processes_by_name) json.member("processes_by_name", true);
  json.end_object();
}

void write_page_account(JsonWriter& json, const RunInfo& run, const Account& account) {
  json.begin_object("account");
  json.member("taken", account.taken);
  json.member("recorded", account.recorded);
  json.member("idle", account.idle);
  json.member("filtered", account.filtered);
  json.member("lost", account.lost());
  if (const std::string why = why_nothing(run, account); !why.empty()) json.member("nothing", why);
  json.end_object();
}

void write_page_names(JsonWriter& json, const FrameReport& names) { json.array("names", names.lines()); }

}  // namespace profile
