// Prints the system calls with counts, times and failures. Then it prints their categories and the behaviour of the
// program, with the rule that decides it.
#include <algorithm>
#include <numeric>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "model/syscall_analysis.h"
#include "output/clean_text.h"
#include "output/error_name.h"
#include "output/tables.h"
#include "output/text_table.h"
#include "support/plural.h"

namespace profile {
namespace {

using Align = TextTable::Align;
using Calls = std::vector<const SyscallUse*>;

std::string rate(std::uint64_t count, const SyscallReport& report) {
  return decimal(report.seconds > 0 ? static_cast<double>(count) / report.seconds : 0);
}

// "read", or "read of dd (185)".
std::string caption_of(const Profile& profile, const SyscallUse& call) {
  std::string text = clean_name(profile.strings.view(call.name));
  if (!profile.syscalls->by_process) return text;
  return text + " of " + clean_name(profile.strings.view(call.process)) + " (" + std::to_string(call.tgid) + ')';
}

// The calls with the longest total time if durations were measured, otherwise the most frequent ones.
Calls top_calls(const SyscallReport& report, std::size_t top) {
  Calls calls;
  for (const SyscallUse& call : report.calls) calls.push_back(&call);
  std::stable_sort(calls.begin(), calls.end(), [&](const SyscallUse* a, const SyscallUse* b) {
    return report.has_durations ? a->durations.total_ns > b->durations.total_ns : a->count > b->count;
  });
  calls.resize(std::min(top, calls.size()));
  return calls;
}

void write_calls(std::ostream& out, const Profile& profile, const Calls& calls) {
  const SyscallReport& report = *profile.syscalls;
  std::vector<TextTable::Column> columns = {{"CALLS"}, {"CALLS/s"}};
  if (report.has_failures) columns.push_back({"FAILED"});
  if (report.has_durations) columns.insert(columns.end(), {{"TOTAL ms"}, {"MEAN us"}, {"MAX us"}});
  columns.push_back({"SYSCALL", Align::left});
  if (report.by_process) columns.insert(columns.end(), {{"PID"}, {"PROCESS", Align::left}});
  TextTable table(std::move(columns));
  for (const SyscallUse* const call : calls) {
    std::vector<std::string> cells = {std::to_string(call->count), rate(call->count, report)};
    if (report.has_failures) cells.push_back(std::to_string(call->failed));
    if (report.has_durations) {
      const Durations& times = call->durations;
      cells.push_back(milliseconds(times.total_ns));
      cells.push_back(microseconds(ratio(times.total_ns, times.count)));
      cells.push_back(microseconds(static_cast<double>(times.max_ns)));
    }
    cells.push_back(clean_name(profile.strings.view(call->name)));
    if (report.by_process) {
      cells.push_back(std::to_string(call->tgid));
      cells.push_back(clean_name(profile.strings.view(call->process)));
    }
    table.add(std::move(cells));
  }
  out << top_of(calls.size(), report.calls.size(), "system call") << " by "
      << (report.has_durations ? "total time" : "count") << '\n';
  table.write(out);
  out << '\n';
}

void write_errors(std::ostream& out, const Profile& profile, std::size_t top) {
  struct Failure {
    const SyscallUse* call;
    int error;
    std::uint64_t count;
  };
  const SyscallReport& report = *profile.syscalls;
  std::vector<Failure> failures;
  for (const SyscallUse& call : report.calls) {
    for (const auto& [error, count] : call.errors) failures.push_back({&call, error, count});
  }
  if (failures.empty()) {
    out << "No system call failed.\n\n";
    return;
  }
  std::stable_sort(failures.begin(), failures.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  const std::size_t shown = std::min(top, failures.size());
  std::vector<TextTable::Column> columns = {{"FAILED"}, {"OF ITS CALLS"}, {"SYSCALL", Align::left}};
  if (report.by_process) columns.insert(columns.end(), {{"PID"}, {"PROCESS", Align::left}});
  columns.insert(columns.end(), {{"ERROR", Align::left}, {"MEANING", Align::left}});
  TextTable table(std::move(columns));
  for (const auto& [call, error, count] : std::span(failures).first(shown)) {
    std::vector<std::string> cells = {std::to_string(count), percent(count, call->count),
                                      clean_name(profile.strings.view(call->name))};
    if (report.by_process) {
      cells.push_back(std::to_string(call->tgid));
      cells.push_back(clean_name(profile.strings.view(call->process)));
    }
    cells.push_back(error_name(error));
    cells.push_back(error_meaning(error));
    table.add(std::move(cells));
  }
  out << top_of(shown, failures.size(), "failure") << '\n';
  table.write(out);
  out << '\n';
}

void write_latencies(std::ostream& out, const Profile& profile, const Calls& calls) {
  constexpr std::size_t few = 3;
  for (const SyscallUse* const call : std::span(calls).first(std::min(few, calls.size()))) {
    if (call->durations.count == 0) continue;
    out << "Latency of " << caption_of(profile, *call) << '\n';
    write_histogram(out, call->durations.histogram);
    out << '\n';
  }
}

void write_categories(std::ostream& out, const SyscallReport& report, const SyscallAnalysis& analysis) {
  std::vector<std::size_t> order(syscall_categories);
  std::iota(order.begin(), order.end(), 0U);
  const auto& counts = analysis.by_category;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  TextTable table({{"CALLS"}, {"CALLS/s"}, {"SHARE"}, {"CATEGORY", Align::left}});
  for (const std::size_t i : order) {
    if (counts[i] == 0) break;
    table.add({std::to_string(counts[i]), rate(counts[i], report), percent(counts[i], analysis.total),
               std::string(name_of(static_cast<SyscallCategory>(i)))});
  }
  table.write(out);
  out << '\n';
}

}  // namespace

void write_syscall_tables(std::ostream& out, const Profile& profile, std::size_t top) {
  const SyscallReport& report = *profile.syscalls;
  const SyscallAnalysis analysis = analyse(report);
  if (analysis.total == 0) {
    out << "There were no system calls.\n\n";
  } else {
    const Calls calls = top_calls(report, top);
    write_calls(out, profile, calls);
    if (report.has_failures) write_errors(out, profile, top);
    if (report.has_durations) write_latencies(out, profile, calls);
  }
  out << number_of(analysis.total, "system call") << " in " << seconds(report.seconds) << " s, "
      << decimal(analysis.rate_per_s) << " a second, " << decimal(report.cpus_used, 2) << " CPUs used\n";
  if (analysis.total != 0) write_categories(out, report, analysis);
  if (!report.is_partial) out << "behaviour: " << analysis.behavior << " (" << analysis.rule << ")\n\n";
}

}  // namespace profile
