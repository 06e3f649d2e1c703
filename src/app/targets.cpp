#include "app/targets.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "app/command.h"
#include "parse/children.h"
#include "process/proc_source.h"
#include "sampling/kernel_needs.h"
#include "support/error.h"
#include "support/text_file.h"

namespace profile {
namespace {

std::string proc_path(std::uint32_t id) { return "/proc/" + std::to_string(id); }

void check_ids(const SamplingOptions& sampling) {
  for (const std::uint32_t tgid : sampling.tgids) {
    const std::string typed = "-p " + std::to_string(tgid);
    const auto status = read_text_file(proc_path(tgid) + "/status");
    if (!status) throw Error(typed + ": no such process");
    const auto leader = find_field(*status, "Tgid");
    if (leader && *leader != std::to_string(tgid)) {
      throw Error(typed + ": a thread of process " + std::string(*leader) + "; use -L " + std::to_string(tgid));
    }
  }
  for (const std::uint32_t tid : sampling.tids) {
    if (::access(proc_path(tid).c_str(), F_OK) != 0) throw Error("-L " + std::to_string(tid) + ": no such thread");
  }
}

void check_cpus(const SamplingOptions& sampling) {
  if (sampling.cpus.empty()) return;
  const CpuList online = online_cpus();
  const int count = possible_cpu_count();
  for (const int cpu : sampling.cpus) {
    if (std::binary_search(online.begin(), online.end(), cpu)) continue;
    const std::string number = std::to_string(cpu);
    throw Error("-C " + number + ": " + (cpu < count ? "CPU " + number + " is offline" : "there is no CPU " + number));
  }
}

// The kernel's limit does not apply to stacks that are unwound by tables, so only other stacks are checked.
void check_depth(const SamplingOptions& sampling) {
  if (sampling.unwinding != Unwinding::frame_pointers && sampling.max_stack_depth <= sampling.walk_depth) return;
  const auto allowed = most_kernel_frames();
  if (!allowed || sampling.max_stack_depth <= *allowed) return;
  const std::string depth = std::to_string(sampling.max_stack_depth);
  throw Error("--max-stack-depth " + depth + ": the kernel allows " + std::to_string(*allowed) +
              "; raise it with sysctl kernel.perf_event_max_stack=" + depth);
}

// Checks only that the file systems of these paths answer. Other problems with them appear when they are used.
void check_answers(const Options& options, Children& children) {
  const SamplingOptions& sampling = options.sampling;
  if (!sampling.cgroup_path.empty()) children.look("--cgroup " + sampling.cgroup_path, sampling.cgroup_path);
  for (const auto* const outputs : {&options.outputs, &options.timed_outputs}) {
    for (const OutputRequest& output : *outputs) {
      if (output.path != "-") children.look("-o " + output.path, output.path, true);
    }
  }
}

}  // namespace

void check_debug_directories(const std::vector<std::string>& directories, Children& children) {
  for (const std::string& directory : directories) {
    const std::string typed = "--debug-dir " + directory;
    const Children::Seen seen = children.look(typed, directory);
    if (seen.error != 0) throw system_error(typed, seen.error);
    if (!seen.is_directory) throw system_error(typed, ENOTDIR);
  }
}

void check_targets(const Options& options, Children& children) {
  check_ids(options.sampling);
  check_cpus(options.sampling);
  check_depth(options.sampling);
  check_debug_directories(options.symbols.debug_directories, children);
  check_answers(options, children);
}

TimelineOptions of_interest(const SamplingOptions& sampling, const Command* command, bool counts_exec) {
  TimelineOptions options;
  options.tgids = sampling.tgids;
  options.tgids.insert(options.tgids.end(), sampling.tids.begin(), sampling.tids.end());
  if (command != nullptr) options.command = static_cast<std::uint32_t>(command->pid());
  options.command_from_exec = !counts_exec;
  return options;
}

bool any_target_alive(const SamplingOptions& sampling) {
  if (sampling.tgids.empty() && sampling.tids.empty()) return true;
  return std::any_of(sampling.tgids.begin(), sampling.tgids.end(), has_running_thread) ||
         std::any_of(sampling.tids.begin(), sampling.tids.end(), has_running_thread);
}

}  // namespace profile
