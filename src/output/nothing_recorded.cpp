#include "output/nothing_recorded.h"

#include <vector>

#include "model/run_words.h"
#include "output/clean_text.h"
#include "support/plural.h"

namespace profile {
namespace {

// "PID 7, 9", "make", ...; empty when the run has no targets.
std::string targets_of(const RunInfo& run) {
  if (!run.command.empty()) return clean_text(run.command.front());
  std::string text;
  const auto add = [&text](std::string_view what, const std::string& each) {
    text.append(text.empty() ? what : ", ").append(each);
  };
  for (const std::uint32_t tgid : run.tgids) add("PID ", std::to_string(tgid));
  for (const std::uint32_t tid : run.tids) add("TID ", std::to_string(tid));
  for (const std::string& name : run.names) add("", clean_text(name));
  return text;
}

// "other processes or threads with other names": what the filters leave out.
std::string filtered_kinds(const RunInfo& run) {
  std::vector<std::string> kinds;
  if (!run.command.empty() || !run.tgids.empty()) kinds.emplace_back("other processes");
  if (!run.tids.empty()) kinds.emplace_back("other threads");
  if (!run.names.empty()) kinds.emplace_back("threads with other names");
  for (const std::string& kind : run.left_out) kinds.push_back(clean_text(kind));
  if (kinds.empty()) kinds.emplace_back(run.cpus.empty() ? "other processes" : "other CPUs");
  std::string text;
  for (const std::string& kind : kinds) text.append(text.empty() ? "" : " or ").append(kind);
  return text;
}

}  // namespace

std::string what_was_filtered(const RunInfo& run, const Account& account) {
  if (!account.is_known || account.recorded == 0 || account.filtered <= account.taken / 2) return {};
  // Who asked for a process, thread or CPU expects no other.
  if (run.names.empty() && run.left_out.empty()) return {};
  return "the " + std::to_string(account.filtered) + " filtered samples are of " + filtered_kinds(run);
}

std::string why_nothing(const RunInfo& run, const Account& account) {
  if (!account.is_known || account.recorded != 0) return {};
  const std::string nothing = "nothing was recorded: ";
  const bool is_clock = run.is_of_cpu_clock() && run.frequency_hz != 0;
  const std::string targets = targets_of(run);
  const bool is_of_calls = run.event == measures::futex.event || run.event == measures::syscalls.event;
  const char* const unended =
      is_of_calls && !targets.empty() ? "; if it waits in a call that does not end, -e off-cpu shows where" : "";
  if (account.lost() != 0) return nothing + number_of(account.lost(), "sample") + " were lost";
  if (account.taken == 0) {
    if (is_clock) return nothing + "no sample was due; a longer run, or a higher rate (-F), has some";
    return nothing + run.event + " did not happen" + (targets.empty() ? "" : " in " + targets) + unended;
  }
  std::string line =
      nothing + (account.taken == 1 ? "the only sample was" : "all " + std::to_string(account.taken) + " samples were");
  if (account.filtered == 0) {
    line += " of idle CPUs";
  } else {
    line += " of " + filtered_kinds(run) + (account.idle == 0 ? "" : " and of idle CPUs");
  }
  if (!is_clock) return line + unended;
  if (!run.names.empty()) {
    return line + "; if there is a thread named " + targets + ", it slept: -e off-cpu shows where";
  }
  return line + "; " + (targets.empty() ? "what there is" : targets) + " slept: -e off-cpu shows where";
}

}  // namespace profile
