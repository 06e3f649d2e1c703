#include "app/targets.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

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

void check_depth(const SamplingOptions& sampling) {
  const auto allowed = read_number("/proc/sys/kernel/perf_event_max_stack");
  if (!allowed || sampling.max_stack_depth <= static_cast<std::uint64_t>(*allowed)) return;
  const std::string depth = std::to_string(sampling.max_stack_depth);
  throw Error("--max-stack-depth " + depth + ": the kernel allows " + std::to_string(*allowed) +
              "; raise it with sysctl kernel.perf_event_max_stack=" + depth);
}

void check_directories(const SymbolOptions& symbols) {
  for (const std::string& directory : symbols.debug_directories) {
    struct stat found {};
    if (::stat(directory.c_str(), &found) != 0) throw system_error("--debug-dir " + directory, errno);
    if (!S_ISDIR(found.st_mode)) throw system_error("--debug-dir " + directory, ENOTDIR);
  }
}

}  // namespace

void check_targets(const Options& options) {
  check_ids(options.sampling);
  check_cpus(options.sampling);
  check_depth(options.sampling);
  check_directories(options.symbols);
}

bool any_target_alive(const SamplingOptions& sampling) {
  if (sampling.tgids.empty() && sampling.tids.empty()) return true;
  const auto is_alive = [](std::uint32_t id) {
    const auto status = read_text_file(proc_path(id) + "/status");
    if (!status) return false;
    // A zombie may be a main thread that has ended before the others; those are counted then.
    const bool is_zombie = find_field(*status, "State").value_or("X").find_first_of("ZX") == 0;
    return !is_zombie || find_field(*status, "Threads").value_or("1") > std::string_view("1");
  };
  return std::any_of(sampling.tgids.begin(), sampling.tgids.end(), is_alive) ||
         std::any_of(sampling.tids.begin(), sampling.tids.end(), is_alive);
}

}  // namespace profile
