#include "output/measures.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/error_name.h"
#include "model/syscall_analysis.h"
#include "output/clean_text.h"
#include "output/text_table.h"

namespace profile {
namespace {

// A value's names in a table, in csv and in json.
struct Names {
  std::string heading = {};
  std::string csv = {};
  std::string json = {};
};

MeasureValue named(const Names& names, std::string text, std::optional<std::uint64_t> number = {}) {
  return {.heading = names.heading, .csv = names.csv, .json = names.json, .text = std::move(text), .number = number};
}
MeasureValue count(const Names& names, std::uint64_t number) { return named(names, std::to_string(number), number); }
MeasureValue time(const Names& names, double ns, std::optional<std::uint64_t> number = {}) {
  MeasureValue value = named(names, {}, number);
  value.time_ns = ns;
  return value;
}
MeasureValue time(const Names& names, std::uint64_t ns) { return time(names, static_cast<double>(ns), ns); }
MeasureValue mark(const Names& names) {
  MeasureValue value = named(names, {});
  value.is_mark = true;
  return value;
}
MeasureValue key(MeasureValue value) {
  value.is_key = true;
  return value;
}

std::string cleaned(const Profile& profile, StringId id) { return clean_name(profile.strings.view(id)); }

// `returned`: the names of the number of calls or requests.
void visit_times(const Durations& times, const Names& returned, const MeasureVisit& visit) {
  visit(count(returned, times.count));
  visit(time({"TOTAL", "total_ns", "total_ns"}, times.total_ns));
  visit(time({.heading = "MEAN"}, ratio(times.total_ns, times.count)));
  visit(count({.json = "avg_ns"}, average_ns(times)));
  visit(count({.csv = "min_ns", .json = "min_ns"}, times.min_ns));
  visit(time({"MAX", "max_ns", "max_ns"}, times.max_ns));
}

bool tells_programs(const SyscallReport& report) {
  const auto tells = [](const SyscallError& error) { return !error.programs.empty(); };
  return !report.by_process && std::ranges::any_of(report.calls, [&](const SyscallUse& call) {
    return std::ranges::any_of(call.errors, tells);
  });
}

// "redis-server (185) 98.0%"; without the number for several processes of that name.
std::string most_failing(const Profile& profile, const SyscallError& error) {
  if (error.programs.empty()) return {};
  const FailingProgram& program = error.programs.front();
  std::string text = cleaned(profile, program.name);
  if (program.tgid != 0) text += " (" + std::to_string(program.tgid) + ')';
  return text + ' ' + percent(program.count, error.count);
}

// The same in cells for each.
void visit_most_failing(const Profile& profile, const SyscallError& error, const MeasureVisit& visit) {
  const bool is_known = !error.programs.empty();
  const FailingProgram program = is_known ? error.programs.front() : FailingProgram{};
  visit(named({.csv = "most_by"}, is_known ? cleaned(profile, program.name) : ""));
  visit(named({.csv = "most_by_pid"}, program.tgid != 0 ? std::to_string(program.tgid) : ""));
  visit(count({.csv = "most_by_failed"}, program.count));
}

void visit_process(const Profile& profile, const SyscallUse& call, const MeasureVisit& visit) {
  if (!profile.syscalls->by_process) return;
  visit(key(count({"PID", "pid", "pid"}, call.tgid)));
  visit(key(named({"PROCESS", "process", "process"}, cleaned(profile, call.process))));
}

}  // namespace

std::uint64_t average_ns(const Durations& durations) {
  return durations.count == 0 ? 0 : durations.total_ns / durations.count;
}

std::string call_rate(std::uint64_t count, const SyscallReport& report) {
  return decimal(report.seconds > 0 ? static_cast<double>(count) / report.seconds : 0);
}

std::vector<SyscallFailure> failures_of(const SyscallReport& report) {
  std::vector<SyscallFailure> failures;
  for (const SyscallUse& call : report.calls) {
    for (const SyscallError& error : call.errors) failures.push_back({&call, &error});
  }
  return failures;
}

void visit_wait(const Profile& profile, const ThreadWait& thread, std::uint64_t total_ns, const MeasureVisit& visit) {
  const Durations& waits = thread.waits;
  visit(key(count({"PID", "pid"}, thread.tgid)));
  visit(key(count({"TID", "tid", "tid"}, thread.tid)));
  visit(key(named({"NAME", "name", "name"}, cleaned(profile, thread.name))));
  visit(time({"BLOCKED", "blocked_ns", "total_time_ns"}, waits.total_ns));
  visit(named({.heading = "SHARE"}, total_ns == 0 ? "-" : percent(waits.total_ns, total_ns)));
  visit(count({"WAITS", "waits", "count"}, waits.count));
  visit(count({.json = "avg_time_ns"}, average_ns(waits)));
  visit(time({"LONGEST", "longest_ns", "max_time_ns"}, waits.max_ns));
  visit(count({.json = "min_time_ns"}, waits.min_ns));
  if (thread.never_woke) visit(mark({.json = "never_woke"}));
}

void visit_durations(const Profile& profile, const DurationTable& table, const DurationTable::Row& row,
                     const MeasureVisit& visit) {
  for (std::size_t i = 0; i < row.labels.size(); ++i) {
    Names names{.csv = clean_text(table.column_names[i])};
    std::ranges::transform(names.csv, std::back_inserter(names.heading),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    visit(key(named(names, cleaned(profile, row.labels[i]))));
  }
  visit_times(row.durations, Names{"COUNT", "count"}, visit);
  if (table.has_bytes) visit(count({"BYTES", "bytes"}, row.bytes));
}

void visit_call(const Profile& profile, const SyscallUse& call, const MeasureVisit& visit) {
  visit_counts(profile, call, visit);
  if (profile.syscalls->has_durations) visit_times(call.durations, Names{.csv = "returned"}, visit);
}

void visit_failure(const Profile& profile, const SyscallFailure& failure, const MeasureVisit& visit) {
  visit(key(named({"SYSCALL", "syscall"}, cleaned(profile, failure.call->name))));
  visit_process(profile, *failure.call, visit);
  visit_error(profile, failure, visit);
}

void visit_times(const Durations& times, const MeasureVisit& visit) {
  visit_times(times, Names{.json = "count"}, visit);
}

void visit_counts(const Profile& profile, const SyscallUse& call, const MeasureVisit& visit) {
  visit(key(named({"SYSCALL", "syscall", "name"}, cleaned(profile, call.name))));
  visit(key(named({.csv = "category", .json = "category"}, std::string(name_of(call.category)))));
  visit_process(profile, call, visit);
  visit(count({"CALLS", "calls", "count"}, call.count));
  visit(named({.heading = "CALLS/s"}, call_rate(call.count, *profile.syscalls)));
  if (profile.syscalls->has_failures) visit(count({"FAILED", "failed", "failed"}, call.failed));
}

void visit_error(const Profile& profile, const SyscallFailure& failure, const MeasureVisit& visit) {
  const SyscallError& error = *failure.error;
  visit(count({.json = "errno"}, static_cast<std::uint64_t>(error.number)));
  visit(key(named({"ERROR", "error", "name"}, error_name(error.number))));
  if (tells_programs(*profile.syscalls)) visit(key(named({.heading = "MOST BY"}, most_failing(profile, error))));
  visit(key(named({.heading = "MEANING"}, error_meaning(error.number))));
  visit(count({"FAILED", "failed", "count"}, error.count));
  visit(named({.heading = "OF ITS CALLS"}, percent(error.count, failure.call->count)));
  if (!profile.syscalls->by_process) visit_most_failing(profile, error, visit);
}

}  // namespace profile
