// Prints blocked threads and the durations of any source. Each table ends with an empty line.
#include "output/tables.h"

#include <algorithm>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "output/clean_text.h"
#include "output/text_table.h"
#include "support/plural.h"

namespace profile {
namespace {

using Align = TextTable::Align;

void write_thread_waits(std::ostream& out, const Profile& profile, std::size_t top) {
  const BlockingThreads threads = blocking_threads(*profile.thread_waits);
  if (threads.listed.empty()) {
    out << "No thread was blocked.\n\n";
    return;
  }
  const std::size_t shown = std::min(top, threads.listed.size());
  TextTable table({{"PID"}, {"TID"}, {"NAME", Align::left}, {"BLOCKED ms"}, {"SHARE"}, {"WAITS"}, {"LONGEST ms"}});
  for (const ThreadWait* const thread : std::span(threads.listed).first(shown)) {
    const Durations& waits = thread->waits;
    table.add({std::to_string(thread->tgid), std::to_string(thread->tid),
               clean_name(profile.strings.view(thread->name)), milliseconds(waits.total_ns),
               percent(waits.total_ns, threads.total_ns), std::to_string(waits.count), milliseconds(waits.max_ns)});
  }
  out << top_of(shown, threads.listed.size(), "blocking thread") << '\n';
  table.write(out);
  out << "all together " << milliseconds(threads.total_ns) << " ms in " << number_of(threads.waits, "wait");
  if (threads.left_out_ns != 0) out << "; kernel threads, " << milliseconds(threads.left_out_ns) << " ms, are left out";
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
  std::vector<TextTable::Column> columns = {{"COUNT"}, {"TOTAL ms"}, {"MEAN us"}, {"MAX us"}};
  if (durations.has_bytes) columns.push_back({"BYTES"});
  for (const std::string& name : durations.column_names) {
    std::string heading = clean_text(name);
    std::transform(heading.begin(), heading.end(), heading.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    columns.push_back({heading, Align::left});
  }
  TextTable table(std::move(columns));
  const std::size_t shown = std::min(top, durations.rows.size());
  for (const DurationTable::Row& row : std::span(durations.rows).first(shown)) {
    const Durations& times = row.durations;
    std::vector<std::string> cells = {std::to_string(times.count), milliseconds(times.total_ns),
                                      microseconds(ratio(times.total_ns, times.count)),
                                      microseconds(static_cast<double>(times.max_ns))};
    if (durations.has_bytes) cells.push_back(std::to_string(row.bytes));
    for (const StringId label : row.labels) cells.push_back(clean_name(profile.strings.view(label)));
    table.add(std::move(cells));
  }
  out << title;
  if (shown < durations.rows.size()) {
    out << ", the top " << std::to_string(shown) << " of " << std::to_string(durations.rows.size());
  }
  out << '\n';
  table.write(out);
  write_histograms(out, profile, durations);
  out << '\n';
}

}  // namespace

BlockingThreads blocking_threads(const std::vector<ThreadWait>& waits) {
  const bool leave_out = !std::ranges::all_of(waits, &ThreadWait::is_kernel_thread);
  BlockingThreads threads;
  for (const ThreadWait& one : waits) {
    if (leave_out && one.is_kernel_thread) {
      threads.left_out_ns += one.waits.total_ns;
      continue;
    }
    threads.listed.push_back(&one);
    threads.waits += one.waits.count;
    threads.total_ns += one.waits.total_ns;
  }
  return threads;
}

void write_tables(std::ostream& out, const Profile& profile, std::size_t top) {
  if (profile.thread_waits) write_thread_waits(out, profile, top);
  for (const DurationTable& durations : profile.duration_tables) write_durations(out, profile, durations, top);
  if (profile.syscalls) write_syscall_tables(out, profile, top);
}

}  // namespace profile
