#include "store/selection.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <utility>

#include "model/run_words.h"
#include "store/tables.h"

namespace profile {
namespace {

constexpr std::int64_t usual_length_s = 3600;
constexpr std::size_t most_kinds = 1000;

// A time in seconds since midnight, of the day of `near_s` or so many days later.
std::int64_t time_of_day(double time, std::int64_t near_s, int days) {
  const auto near = static_cast<std::time_t>(near_s);
  std::tm day{};
  ::localtime_r(&near, &day);
  day.tm_mday += days;
  day.tm_hour = static_cast<int>(time) / 3600;
  day.tm_min = static_cast<int>(time) / 60 % 60;
  day.tm_sec = static_cast<int>(time) % 60;
  day.tm_isdst = -1;
  return std::mktime(&day);
}

}  // namespace

StoreSelection::StoreSelection(const AskStore& ask, const std::string& name, const ReadRequest& request,
                               std::int64_t now_s)
    : ask_(ask), name_(name), request_(request) {
  // Where there are Distributed tables, they have the rows of all servers.
  if (count("system.tables WHERE database = currentDatabase() AND name = 'all_samples'") != 0) prefix_ = "all_";
  choose_times(now_s);
}

std::uint64_t StoreSelection::count(const std::string& table_and_conditions) const {
  std::uint64_t count = 0;
  each_row("SELECT count() FROM " + table_and_conditions + std::string(end_of_query), most_short_answer_bytes,
           [&](RowReader& row) { count = row.number<std::uint64_t>(); });
  return count;
}

void StoreSelection::choose_times(std::int64_t now_s) {
  // In seconds since 1970; of times of day the last one.
  const auto since_1970 = [&](double time, ClockKind clock) -> std::int64_t {
    if (clock == ClockKind::of_run) {
      throw error("a store has no first second: times are as -1h, 14:03:10 or '2026-11-28 14:03:10'");
    }
    double seconds = time;
    if (clock == ClockKind::of_day) {
      const std::int64_t today = time_of_day(time, now_s, 0);
      seconds = static_cast<double>(today > now_s ? time_of_day(time, now_s, -1) : today);
    }
    return std::llround(std::clamp(seconds, 0.0, static_cast<double>(std::numeric_limits<std::uint32_t>::max())));
  };
  to_s_ = request_.to_s ? since_1970(*request_.to_s, request_.to_clock) : now_s + 1;
  from_s_ = request_.from_s ? since_1970(*request_.from_s, request_.from_clock)
                            : std::max<std::int64_t>(to_s_ - usual_length_s, 0);
  const auto is_of_day = [](const auto& time, ClockKind clock) { return time && clock == ClockKind::of_day; };
  if (is_of_day(request_.from_s, request_.from_clock) && is_of_day(request_.to_s, request_.to_clock)) {
    // The first one after the beginning: midnight may be between them.
    to_s_ = time_of_day(*request_.to_s, from_s_, 0);
    if (to_s_ <= from_s_) to_s_ = time_of_day(*request_.to_s, from_s_, 1);
  }
  if (to_s_ <= from_s_) throw error("the part that is asked for ends before it begins");
  if (!request_.tgids.empty() || !request_.tids.empty() || !request_.cpus.empty() || !request_.cgroup.empty()) {
    throw error(
        "a store does not tell processes by number, threads, CPUs or cgroups; --service, --host and --comm choose");
  }
}

std::string StoreSelection::where() const {
  std::string sql =
      " WHERE time >= toDateTime(" + std::to_string(from_s_) + ") AND time < toDateTime(" + std::to_string(to_s_) + ")";
  if (!request_.service.empty()) sql += " AND " + sql_matches("service", request_.service);
  if (!request_.host.empty()) sql += " AND " + sql_matches("host", request_.host);
  if (!request_.version.empty()) sql += " AND " + sql_matches("version", request_.version + '*');
  std::string any_of_names;
  for (const std::string& pattern : request_.names) {
    any_of_names += (any_of_names.empty() ? "" : " OR ") + sql_matches("process", pattern);
  }
  if (!any_of_names.empty()) sql += " AND (" + any_of_names + ")";
  return sql;
}

std::string StoreSelection::where_of_kind() const {
  const SampleKind& kind = kinds_.front();
  return where() + " AND event = " + sql_string(kind.event) + " AND unit = " + sql_string(kind.unit) +
         " AND title = " + sql_string(kind.title);
}

std::string StoreSelection::where_of_stacks() const {
  constexpr std::int64_t day_s = 86'400;
  std::string sql = " WHERE day >= toDate(" + std::to_string(from_s_ / day_s) + ") AND day <= toDate(" +
                    std::to_string(to_s_ / day_s) + ")";
  if (!request_.service.empty()) sql += " AND " + sql_matches("service", request_.service);
  return sql;
}

void StoreSelection::choose_kinds(const std::function<void(const std::string&)>& note) {
  std::vector<SampleKind> all;
  each_row(
      "SELECT event, title, unit, frequency_hz, period_events, sum(samples), toUInt32(min(time)), "
      "toUInt32(max(time)), max(duration_ms) FROM " +
          table(samples_table) + where() +
          " GROUP BY event, title, unit, frequency_hz, period_events ORDER BY sum(samples) DESC" +
          std::string(end_of_query),
      most_short_answer_bytes, [&](RowReader& row) {
        SampleKind kind;
        kind.event = row.text();
        kind.title = row.text();
        kind.unit = row.text();
        kind.frequency_hz = row.number<std::uint32_t>();
        kind.period_events = row.number<std::uint64_t>();
        kind.samples = row.number<std::uint64_t>();
        kind.first_s = row.number<std::uint32_t>();
        kind.last_s = row.number<std::uint32_t>();
        kind.tick_ms = row.number<std::uint32_t>();
        if (row.is_short() || row.is_wrong()) return;
        if (all.size() >= most_kinds || kind.last_s < kind.first_s) throw nonsense();
        all.push_back(std::move(kind));
      });
  if (all.empty()) throw error("it has no samples of what is asked for");
  choose_event(all, note);
  from_s_ = std::ranges::min(kinds_, {}, &SampleKind::first_s).first_s;
  to_s_ = std::int64_t{std::ranges::max(kinds_, {}, &SampleKind::last_s).last_s} + 1;
}

void StoreSelection::choose_event(const std::vector<SampleKind>& all,
                                  const std::function<void(const std::string&)>& note) {
  std::string event = request_.event;
  if (event.empty())
    event = std::ranges::count(all, cpu_clock, &SampleKind::event) != 0 ? std::string(cpu_clock) : all[0].event;
  for (const SampleKind& kind : all) {
    if (kind.event == event) {
      if (kinds_.empty() || (kinds_[0].title == kind.title && kinds_[0].unit == kind.unit)) {
        kinds_.push_back(kind);
      } else {
        note(name_ + ": " + kind.title + " " + kind.unit + " of " + event + " are left out");
      }
    }
    if (std::ranges::find(events_, kind.event) == events_.end()) events_.push_back(kind.event);
  }
  if (!kinds_.empty()) return;
  std::string words;
  for (const std::string& other : events_) words.append(words.empty() ? "" : ", ").append(other);
  throw error("it has samples of " + words + ", not of " + event);
}

std::uint64_t StoreSelection::ns_per_value(std::uint32_t frequency_hz, std::uint64_t period_events) {
  RunInfo run;
  run.frequency_hz = frequency_hz;
  run.period_events = period_events;
  return ns_per_sample(run);
}

void StoreSelection::set_run(RunInfo& run) const {
  const SampleKind& first = kinds_.front();
  RunInfo words;
  if (read_title(first.title, words)) {
    run.counted = words.counted;
    run.tag = words.tag;
  }
  run.event = first.event;
  run.title = first.title;
  run.unit = first.unit;
  run.frequency_hz = first.frequency_hz;
  run.period_events = first.period_events;
  if (!has_rates()) return;
  for (const SampleKind& kind : kinds_) {
    if (ns_per_value(kind.frequency_hz, kind.period_events) == 0) {
      throw error("it does not tell what its samples are worth");
    }
  }
  run.unit = Unit::nanoseconds;
  run.frequency_hz = run.period_events = 0;
}

std::uint64_t StoreSelection::tick_s() const {
  const std::uint64_t tick_ms = std::ranges::max(kinds_, {}, &SampleKind::tick_ms).tick_ms;
  return std::max<std::uint64_t>((tick_ms + 999) / 1000, 1);
}

}  // namespace profile
