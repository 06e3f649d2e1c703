// The whole report for programs: one JSON document on one line, so that the reports of an interval run can be read line
// by line. man/profile.schema.json describes the members.
#include <algorithm>
#include <ostream>

#include "output/formats/json_parts.h"
#include "output/header.h"
#include "output/json_writer.h"
#include "output/output.h"
#include "support/clock.h"

namespace profile {
namespace {

constexpr std::uint64_t ns_per_ms = 1'000'000;

template <class Items>
void write_items(JsonWriter& json, std::string_view name, const Items& items) {
  if (!items.empty()) json.array(name, items);
}

// Leaves out members that do not apply.
void write_run(JsonWriter& json, const Profile& profile) {
  const RunInfo& run = profile.run;
  json.begin_object("profile");
  json.member("heading", title_of(profile));
  if (!run.host.empty()) json.member("host", run.host);
  if (profile.began_unix_ns != 0) json.member("began_unix_ms", profile.began_unix_ns / ns_per_ms);
  if (profile.duration_ns != 0) json.member("took_s", to_seconds(profile.duration_ns));
  if (!run.event.empty()) json.member("event", run.event);
  json.member("unit", run.unit.word());
  if (run.is_state) json.member("is_state", true);
  if (!run.title.empty()) json.member("title", run.title);
  if (run.frequency_hz != 0) json.member("frequency_hz", run.frequency_hz);
  if (run.period_events != 0) json.member("period_events", run.period_events);
  if (run.duration_s) json.member("duration_s", *run.duration_s);
  json.member("user_stacks", run.user_stacks);
  json.member("kernel_stacks", run.kernel_stacks);
  if (run.is_request_known) {
    json.begin_object("targets");
    write_items(json, "pids", run.tgids);
    write_items(json, "tids", run.tids);
    write_items(json, "names", run.names);
    if (!run.cpus.empty()) json.member("cpus", run.cpus);
    write_items(json, "command", run.command);
    json.end_object();
  }
  json.end_object();
}

void write_account(JsonWriter& json, const Account& account) {
  json.begin_object("account");
  if (account.asked != 0) json.member("asked", account.asked);
  if (account.skipped != 0) json.member("skipped", account.skipped);
  json.member("taken", account.taken);
  json.member("recorded", account.recorded);
  json.member("recorded_by_ring", account.recorded_by_ring);
  json.member("idle", account.idle);
  json.member("filtered", account.filtered);
  json.member("lost", account.lost());
  for (const LossReason& reason : loss_reasons) {
    if (!reason.only_of_streams) json.member("lost_" + std::string(reason.key), account.*reason.count);
  }
  json.member("balanced", account.balanced());
  json.end_object();
}

bool has_tag(const Row& row) { return row.tag != StringId::empty; }
bool any(const Row&) { return true; }

void write_measures(JsonWriter& json, const Profile& profile, std::size_t top) {
  const bool has_waits = profile.thread_waits.has_value();
  // Rows of waits have a tag if there are other rows too. Without any tag, all rows are waits.
  const bool waits_alone = has_waits && std::ranges::none_of(profile.rows(), has_tag);
  if (has_waits) {
    json.key("offcpu");
    write_json_waits(json, profile, top, [&] { write_json_stacks(json, profile, waits_alone ? any : has_tag); });
  }
  if (profile.syscalls) {
    json.key("syscalls");
    write_json_syscalls(json, profile, top);
  }
  if (!profile.duration_tables.empty()) {
    json.key("durations");
    write_json_duration_tables(json, profile);
  }
  if (!profile.rows().empty() && !waits_alone) {
    json.key("profile");
    write_json_stacks(json, profile, any);
  }
}

}  // namespace

Output make_json(const OutputOptions& options) {
  const auto report = [top = options.top](std::ostream& out, const Profile& profile) {
    JsonWriter json(out);
    json.begin_object();
    write_run(json, profile);
    if (profile.account.is_known) write_account(json, profile.account);
    json.begin_object("ebpf");
    write_measures(json, profile, top);
    json.end_object();
    json.end_object();
    json.end_document();
  };
  return {.report = report};
}

}  // namespace profile
