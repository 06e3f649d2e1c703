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
#include "output/tables.h"
#include "output/text_table.h"
#include "support/plural.h"

namespace profile {
namespace {

using Align = TextTable::Align;
using Calls = std::vector<const SyscallUse*>;

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
  out << top_of(calls.size(), report.calls.size(), "system call") << " by "
      << (report.has_durations ? "total time" : "count") << '\n';
  write_rows(out, calls.size(), Keys::last,
             [&](std::size_t i, const MeasureVisit& visit) { visit_call(profile, *calls[i], visit); });
  out << '\n';
}

void write_errors(std::ostream& out, const Profile& profile, std::size_t top) {
  std::vector<SyscallFailure> failures = failures_of(*profile.syscalls);
  if (failures.empty()) {
    out << "No system call failed.\n\n";
    return;
  }
  std::stable_sort(failures.begin(), failures.end(),
                   [](const auto& a, const auto& b) { return a.error->count > b.error->count; });
  const std::size_t shown = std::min(top, failures.size());
  out << top_of(shown, failures.size(), "failure") << '\n';
  write_rows(out, shown, Keys::last,
             [&](std::size_t i, const MeasureVisit& visit) { visit_failure(profile, failures[i], visit); });
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
    table.add({std::to_string(counts[i]), call_rate(counts[i], report), percent(counts[i], analysis.total),
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
