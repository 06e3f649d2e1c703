// Prints blocked threads and the durations of any source. Each table ends with an empty line.
#include "output/tables.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "output/clean_text.h"
#include "output/runtime_threads.h"
#include "output/text_table.h"
#include "support/plural.h"

namespace profile {
namespace {

// Who waits so much of the time and never wakes up has slept through all of it.
constexpr double asleep_part = 0.9;

// Writes the texts of a column of times.
TimeUnit give_unit(std::vector<std::vector<MeasureValue>>& table, std::size_t column, std::uint64_t sum_ns) {
  std::vector<double> times_ns{static_cast<double>(sum_ns)};
  for (const auto& values : table) times_ns.push_back(values[column].time_ns.value_or(0));
  const TimeUnit unit = time_unit(times_ns);
  for (auto& values : table) values[column].text = unit.text(values[column].time_ns.value_or(0));
  return unit;
}

void write_thread_waits(std::ostream& out, const Profile& profile, std::size_t top) {
  const BlockingThreads threads = blocking_threads(profile);
  if (threads.listed.empty()) {
    out << "No thread was blocked.\n\n";
    return;
  }
  const std::size_t shown = std::min(top, threads.listed.size());
  out << top_of(shown, threads.listed.size(), "blocking thread") << '\n';
  const auto visit_row = [&](std::size_t i, const MeasureVisit& visit) {
    visit_wait(profile, *threads.listed[i], threads.is_apart(i) ? 0 : threads.total_ns, visit);
  };
  const TimeUnit unit = write_rows(out, shown, Keys::first, visit_row, threads.total_ns + threads.asleep_ns);
  const auto time = [&unit](std::uint64_t ns) {
    return unit.text(static_cast<double>(ns)).append(" ").append(unit.name);
  };
  out << "all together " << time(threads.total_ns) << " in " << number_of(threads.waits, "wait");
  if (threads.asleep != 0) {
    out << "; " << number_of(threads.asleep, "thread") << " never woke up";
    if (threads.asleep_ns != 0) {
      out << ", " << time(threads.asleep_ns) << ", and " << plural(threads.asleep, "stands", "stand") << " last";
    }
  }
  if (threads.left_out_ns != 0) out << "; kernel threads, " << time(threads.left_out_ns) << ", are left out";
  if (threads.runtime_ns != 0) out << "; the runtimes' own threads, " << time(threads.runtime_ns) << ", are left out";
  out << "\n\n";
}

std::string labels_of(const Profile& profile, const DurationTable::Row& row) {
  std::string text;
  for (const StringId label : row.labels) {
    if (!text.empty()) text += ' ';
    text += clean_name(profile.strings.view(label));
  }
  return text;
}

// Prints one histogram per row if there are few rows, otherwise one of all rows together, because many are too long to
// read.
void write_histograms(std::ostream& out, const Profile& profile, const DurationTable& durations) {
  constexpr std::size_t few = 3;
  const auto write = [&out](const std::string& of, const Log2Histogram& histogram) {
    if (std::all_of(histogram.count.begin(), histogram.count.end(), [](auto count) { return count == 0; })) return;
    out << '\n' << of << '\n';
    write_histogram(out, histogram);
  };
  if (durations.rows.size() <= few) {
    for (const DurationTable::Row& row : durations.rows) write(labels_of(profile, row), row.durations.histogram);
    return;
  }
  Log2Histogram all;
  for (const DurationTable::Row& row : durations.rows) all += row.durations.histogram;
  write("all together", all);
}

void write_durations(std::ostream& out, const Profile& profile, const DurationTable& durations, std::size_t top) {
  const std::string title = clean_text(durations.title);
  if (durations.rows.empty()) {
    out << title << ": there were none.\n\n";
    return;
  }
  const std::size_t shown = std::min(top, durations.rows.size());
  out << title;
  if (shown < durations.rows.size()) {
    out << ", the top " << std::to_string(shown) << " of " << std::to_string(durations.rows.size());
  }
  out << '\n';
  write_rows(out, shown, Keys::last, [&](std::size_t i, const MeasureVisit& visit) {
    visit_durations(profile, durations, durations.rows[i], visit);
  });
  write_histograms(out, profile, durations);
  out << '\n';
}

}  // namespace

BlockingThreads blocking_threads(const Profile& profile) {
  const std::vector<ThreadWait>& waits = *profile.thread_waits;
  const bool leave_out = !std::ranges::all_of(waits, &ThreadWait::is_kernel_thread);
  // A thread that is new, or has computed before, sleeps less than this of the time.
  const auto least_ns = static_cast<std::uint64_t>(asleep_part * static_cast<double>(profile.duration_ns));
  const RuntimeThreads runtime(profile);
  BlockingThreads threads;
  std::vector<const ThreadWait*> asleep;
  for (const ThreadWait& one : waits) {
    if (leave_out && one.is_kernel_thread) {
      threads.left_out_ns += one.waits.total_ns;
      continue;
    }
    if (runtime.has(one.tgid, one.name)) {
      threads.runtime_ns += one.waits.total_ns;
      continue;
    }
    if (one.never_woke && one.waits.total_ns >= least_ns) {
      asleep.push_back(&one);
      threads.asleep_ns += one.waits.total_ns;
      continue;
    }
    threads.listed.push_back(&one);
    threads.waits += one.waits.count;
    threads.total_ns += one.waits.total_ns;
  }
  threads.asleep = asleep.size();
  if (threads.listed.empty()) {
    threads.waits = threads.asleep;
    threads.total_ns = std::exchange(threads.asleep_ns, 0);
  }
  threads.listed.insert(threads.listed.end(), asleep.begin(), asleep.end());
  return threads;
}

TimeUnit write_rows(std::ostream& out, std::size_t rows, Keys keys,
                    const std::function<void(std::size_t, const MeasureVisit&)>& visit_row, std::uint64_t sum_ns) {
  std::vector<std::vector<MeasureValue>> table;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<MeasureValue>& values = table.emplace_back();
    visit_row(i, [&values](const MeasureValue& value) {
      if (!value.heading.empty()) values.push_back(value);
    });
    if (keys == Keys::last) {
      std::stable_partition(values.begin(), values.end(), [](const MeasureValue& value) { return !value.is_key; });
    }
  }
  if (table.empty()) return {};
  std::vector<TextTable::Column> columns;
  std::optional<TimeUnit> first_unit;
  for (std::size_t column = 0; column < table.front().size(); ++column) {
    const MeasureValue& first = table.front()[column];
    const bool is_name = first.is_key && !first.number;
    columns.push_back({first.heading, is_name ? TextTable::Align::left : TextTable::Align::right});
    if (!first.time_ns) continue;
    const TimeUnit unit = give_unit(table, column, first_unit ? 0 : sum_ns);
    columns.back().heading.append(" ").append(unit.name);
    if (!first_unit) first_unit = unit;
  }
  TextTable text(std::move(columns));
  for (const std::vector<MeasureValue>& values : table) {
    std::vector<std::string> cells;
    cells.reserve(values.size());
    for (const MeasureValue& value : values) cells.push_back(value.text);
    text.add(std::move(cells));
  }
  text.write(out);
  return first_unit.value_or(TimeUnit());
}

void write_tables(std::ostream& out, const Profile& profile, std::size_t top) {
  if (profile.thread_waits) write_thread_waits(out, profile, top);
  for (const DurationTable& durations : profile.duration_tables) write_durations(out, profile, durations, top);
  if (profile.syscalls) write_syscall_tables(out, profile, top);
}

}  // namespace profile
