#include "app/summary.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "support/clock.h"
#include "support/plural.h"

namespace profile {
namespace {

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char buffer[160];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

using Wide = unsigned long long;

// Fewer samples than the rate asks for, and not only because a tick of each CPU was under way at the beginning or at
// the end.
bool is_short(const Account& account, const RunCost& cost) {
  const std::uint64_t missing = account.asked - std::min(account.asked, account.taken);
  return missing > 2 * static_cast<std::uint64_t>(cost.cpus) && missing * 100 > account.asked;
}

}  // namespace

std::string summary_of(const Account& account, const RunCost& cost) {
  // "samples" whatever their number: it is by this word that scripts find the line.
  std::string line = text("%llu samples in %.1f s on %s: %llu recorded", Wide{account.taken}, cost.duration_s,
                          number_of(static_cast<std::uint64_t>(cost.cpus), "CPU").c_str(), Wide{account.recorded});
  if (account.idle != 0) line += text(", %llu idle", Wide{account.idle});
  if (account.filtered != 0) line += text(", %llu filtered", Wide{account.filtered});
  line += text(", %llu lost", Wide{account.lost()});
  for (const LossReason& reason : loss_reasons) {
    if (const std::uint64_t lost = account.*reason.count; lost != 0) {
      line += " (" + std::to_string(lost) + " " + std::string(reason.words) + ")";
    }
  }
  if (!account.balanced()) {
    const auto sum = account.recorded + account.idle + account.filtered + account.lost();
    line += text(", %lld unaccounted for", static_cast<long long>(account.taken - sum));
  }
  if (cost.unfollowed != 0) line += ", " + number_of(cost.unfollowed, "process", "processes") + " not followed";
  if (is_short(account, cost)) {
    line += text("; %.1f %% of the %llu asked for",
                 100 * static_cast<double>(account.taken) / static_cast<double>(account.asked), Wide{account.asked});
  }
  if (cost.bpf.runs != 0 && cost.duration_s > 0 && cost.cpus > 0) {
    const auto run_time = static_cast<double>(cost.bpf.run_time_ns);
    line += text("; %.1f us a sample, %.2f %% of CPU time", run_time / 1e3 / static_cast<double>(cost.bpf.runs),
                 100 * to_seconds(cost.bpf.run_time_ns) / (cost.duration_s * cost.cpus));
  }
  return line;
}

std::vector<std::string> notes_of(const TimelineStatus& timeline) {
  std::vector<std::string> lines;
  if (timeline.skipped != 0) {
    lines.push_back(number_of(timeline.skipped, "mapping") +
                    " of processes that map code without end were not followed one by one: their maps were read every "
                    "0.1 s instead");
  }
  if (timeline.late_s >= 0.1) {
    lines.push_back(
        text("processes came and went so fast that they were looked at %.1f s later, in all, to take no more "
             "than 5 %% of a CPU",
             timeline.late_s));
  }
  return lines;
}

std::vector<std::string> details_of(const TimelineStatus& timeline, const Account& account) {
  const auto count = [](std::uint64_t number, const char* of) { return std::to_string(number) + of; };
  return {"timeline: " + count(timeline.records, " records, ") + count(timeline.lost_records, " lost, ") +
              count(timeline.repairs, " repairs, ") + count(timeline.processes, " processes, ") +
              count(timeline.files, " files, ") + count(timeline.open_files, " open"),
          "ring buffer: " + count(account.recorded_by_ring, " samples")};
}

}  // namespace profile
