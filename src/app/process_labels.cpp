#include "app/process_labels.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "output/clean_text.h"

namespace profile {
namespace {

constexpr const char* pod_logs = "/var/log/pods";

// The path that the process sees; empty: it has no program, as a thread of the kernel; nullopt: it is not known.
std::optional<std::string> program_of(std::uint32_t tgid) {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink(("/proc/" + std::to_string(tgid) + "/exe").c_str(), path.data(), path.size());
  if (size >= 0) return std::string(path.data(), static_cast<std::size_t>(size));
  return errno == ENOENT ? std::optional(std::string()) : std::nullopt;
}

}  // namespace

void Services::look(const Profile& profile) {
  std::map<Key, ProcessLabels> former = std::exchange(known_, {});
  bool are_pods_read = false;
  for (const Row& row : profile.rows()) {
    const Process& process = profile.process(row.process);
    const Key key = key_of(process);
    if (known_.contains(key)) continue;
    if (auto found = former.extract(key)) {
      known_.insert(std::move(found));
      continue;
    }
    if (!std::exchange(are_pods_read, true)) pods_ = pod_names_in(pod_logs);
    known_.emplace(key, labels_of_process(process, profile.strings.view(process.name)));
  }
}

ProcessLabels Services::labels_of_process(const Process& process, std::string_view comm) const {
  const ProcessFacts facts = facts_(process.tgid, process.image, true);
  if (!facts.comm.empty()) comm = facts.comm;
  const std::string& cgroup = facts.cgroup.empty() ? facts.inherited_cgroup : facts.cgroup;
  // A process that has ended has none.
  const auto program = facts.cgroup.empty() ? std::nullopt : program_of(process.tgid);
  const bool is_kernel = process.tgid == 0 || (program && program->empty());
  const std::string name = is_kernel ? "kernel" : clean_name(comm);
  ProcessLabels found{.labels = labels_of(is_kernel ? Workload() : workload_of(cgroup), pods_, name),
                      .program = program.value_or("")};
  for (auto& [label, value] : found.labels) value = clean_name(value);  // users may name cgroups
  return found;
}

}  // namespace profile
