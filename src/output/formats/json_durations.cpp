// Durations in JSON: the waits of threads, and the tables of sources that measure durations.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "output/clean_text.h"
#include "output/formats/json_parts.h"
#include "output/tables.h"
#include "output/text_table.h"

namespace profile {
namespace {

// Writes one member per thread. A JSON object must not have a name twice, so threads that used the same number one
// after the other are one member, with the name of the thread that waited longest.
void write_thread_stats(JsonWriter& json, const Profile& profile) {
  std::vector<ThreadWait> threads(*profile.thread_waits);
  std::stable_sort(threads.begin(), threads.end(), [](const ThreadWait& a, const ThreadWait& b) {
    return a.tgid != b.tgid ? a.tgid < b.tgid : a.tid < b.tid;
  });
  for (std::size_t i = 0; i < threads.size();) {
    ThreadWait thread = threads[i];
    for (++i; i < threads.size() && threads[i].tgid == thread.tgid && threads[i].tid == thread.tid; ++i) {
      thread.waits += threads[i].waits;
      thread.never_woke = false;
    }
    json.begin_object(std::to_string(thread.tgid) + ':' + std::to_string(thread.tid));
    visit_wait(profile, thread, 0, json_members(json));
    json.end_object();
  }
}

// Writes nothing if the source keeps no histogram.
void write_histogram(JsonWriter& json, const Log2Histogram& histogram) {
  const auto& counts = histogram.count;
  if (std::all_of(counts.begin(), counts.end(), [](std::uint64_t count) { return count == 0; })) return;
  json.begin_array("histogram");
  for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) {
    if (counts[bucket] == 0) continue;
    const std::uint64_t least = std::uint64_t{1} << bucket;
    json.begin_object();
    json.member("from_ns", bucket == 0 ? 0 : least);
    json.member("to_ns", least + (least - 1));
    json.member("count", counts[bucket]);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

MeasureVisit json_members(JsonWriter& json) {
  return [&json](const MeasureValue& value) {
    if (value.json.empty()) return;
    if (value.is_mark) return json.member(value.json, true);
    value.number ? json.member(value.json, *value.number) : json.member(value.json, value.text);
  };
}

void write_json_durations(JsonWriter& json, const Durations& durations) {
  json.begin_object();
  visit_times(durations, json_members(json));
  write_histogram(json, durations.histogram);
  json.end_object();
}

void write_json_waits(JsonWriter& json, const Profile& profile, std::size_t top,
                      const std::function<void()>& stack_traces) {
  Durations all;
  for (const ThreadWait& thread : *profile.thread_waits) all += thread.waits;
  json.begin_object();
  json.member("total_time_ns", all.total_ns);
  json.member("total_events", all.count);
  json.member("avg_time_ns", average_ns(all));
  json.member("max_time_ns", all.max_ns);
  json.member("min_time_ns", all.min_ns);
  json.begin_object("thread_stats");
  write_thread_stats(json, profile);
  json.end_object();
  const BlockingThreads threads = blocking_threads(profile);
  const std::uint64_t whole_ns = threads.total_ns + threads.asleep_ns;
  json.begin_array("top_blocking_threads");
  for (const ThreadWait* const thread : std::span(threads.listed).first(std::min(top, threads.listed.size()))) {
    json.begin_object();
    json.member("tid", thread->tid);
    json.member("pid", thread->tgid);
    json.member("name", clean_name(profile.strings.view(thread->name)));
    json.member("time_ms", static_cast<double>(thread->waits.total_ns) / 1e6);
    if (thread->never_woke) json.member("never_woke", true);
    json.member("percentage", 100 * ratio(thread->waits.total_ns, whole_ns));
    json.end_object();
  }
  json.end_array();
  json.key("stack_traces");
  stack_traces();
  json.end_object();
}

void write_json_duration_tables(JsonWriter& json, const Profile& profile) {
  json.begin_array();
  for (const DurationTable& table : profile.duration_tables) {
    json.begin_object();
    json.member("id", table.id);
    json.member("title", table.title);
    json.array("columns", table.column_names);
    json.begin_array("rows");
    for (const DurationTable::Row& row : table.rows) {
      json.begin_object();
      json.array("labels", row.labels, [&](StringId label) { return profile.strings.view(label); });
      json.key("durations");
      write_json_durations(json, row.durations);
      if (table.has_bytes) json.member("bytes", row.bytes);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

}  // namespace profile
