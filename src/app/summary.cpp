#include "app/summary.h"

#include <algorithm>

#include "output/text_table.h"
#include "support/clock.h"
#include "support/plural.h"

namespace profile {
namespace {

// Fewer samples than the rate asks for, and not only because a tick of each CPU was under way at the beginning or at
// the end.
bool is_short(const Account& account, const RunCost& cost) {
  const std::uint64_t missing = account.asked - std::min(account.asked, account.taken);
  return missing > 2 * static_cast<std::uint64_t>(cost.cpus) && missing * 100 > account.asked;
}

}  // namespace

std::string summary_of(const Account& account, const RunCost& cost) {
  // Always "samples": scripts find the line by this word.
  std::string line = std::to_string(account.taken) + " samples in " + decimal(cost.duration_s) + " s on " +
                     number_of(static_cast<std::uint64_t>(cost.cpus), "CPU") + ": " + std::to_string(account.recorded) +
                     " recorded";
  if (account.idle != 0) line += ", " + std::to_string(account.idle) + " idle";
  if (account.filtered != 0) line += ", " + std::to_string(account.filtered) + " filtered";
  line += ", " + std::to_string(account.lost()) + " lost";
  for (const LossReason& reason : loss_reasons) {
    if (const std::uint64_t lost = account.*reason.count; lost != 0) {
      line += " (" + std::to_string(lost) + " " + std::string(reason.words) + ")";
    }
  }
  if (!account.balanced()) {
    const auto sum = account.recorded + account.idle + account.filtered + account.lost();
    line += ", " + std::to_string(static_cast<std::int64_t>(account.taken - sum)) + " unaccounted for";
  }
  if (cost.unfollowed != 0) line += ", " + number_of(cost.unfollowed, "process", "processes") + " not followed";
  if (account.skipped != 0) line += "; they stand for " + number_of(account.skipped, "more tick") + " (--cpu-limit)";
  if (is_short(account, cost)) {
    line += "; " + decimal(100 * static_cast<double>(account.taken) / static_cast<double>(account.asked)) +
            " % of the " + std::to_string(account.asked) + " asked for";
  }
  if (cost.bpf.runs != 0 && cost.duration_s > 0 && cost.cpus > 0) {
    const auto run_time = static_cast<double>(cost.bpf.run_time_ns);
    line += "; " + decimal(run_time / 1e3 / static_cast<double>(cost.bpf.runs)) + " us a sample";
    // The programs are there before a brief command and after it, and other processes run them, too.
    const double share = to_seconds(cost.bpf.run_time_ns) / (cost.duration_s * cost.cpus);
    if (share <= 1) line += ", " + decimal(100 * share, 2) + " % of CPU time";
  }
  return line;
}

std::vector<std::string> losses_of(const Account& account, std::uint64_t lost_with_full_maps) {
  std::vector<std::string> lines;
  if (lost_with_full_maps != 0) {
    lines.emplace_back("with more room in the maps fewer are lost: larger --stack-storage-size, --hash-storage-size");
  } else if (account.lost_ring_full != 0) {
    lines.emplace_back(
        "samples came faster than the ring buffer was read: with fewer processes (-p), a lower -F or a higher -c fewer "
        "come");
  }
  return lines;
}

std::vector<std::string> notes_of(const TimelineStatus& timeline) {
  std::vector<std::string> lines;
  if (timeline.skipped != 0) {
    lines.push_back(number_of(timeline.skipped, "mapping") +
                    " of processes that map code without end were not followed one by one: their maps were read every "
                    "0.1 s instead");
  }
  if (timeline.late_s >= 0.1) {
    lines.push_back("processes came and went so fast that they were looked at " + decimal(timeline.late_s) +
                    " s later, in all, to take no more than 5 % of a CPU");
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
