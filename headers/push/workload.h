// Tells from a cgroup's path which unit, container or pod a process belongs to.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "push/labels.h"

namespace profile {

// Empty: it is none, or the path does not tell it.
struct Workload {
  std::string unit;       // of systemd, without ".service"
  std::string container;  // the id, as the run-time has it
  std::string pod_uid;    // of Kubernetes, with dashes as Kubernetes writes it
  friend bool operator==(const Workload&, const Workload&) = default;
};

// `path`: of any hierarchy, as /proc/PID/cgroup has it.
[[nodiscard]] Workload workload_of(std::string_view path);

// The path in the text of /proc/PID/cgroup that tells most: the one of the unified hierarchy; if that is the root, as
// with hybrid hierarchies, or missing, the longest of the others.
[[nodiscard]] std::string_view cgroup_path_in(std::string_view text);

struct PodName {
  std::string space;
  std::string name;
};
// By uid.
using PodNames = std::map<std::string, PodName, std::less<>>;
// The pods that have logs in `directory`, whose entries are NAMESPACE_POD_UID. None if it is missing.
[[nodiscard]] PodNames pod_names_in(const std::string& directory);

// The name that all pods of one controller share: "shop" of "shop-6d4cf56db6-x7k2p", "db" of "db-0".
[[nodiscard]] std::string_view controller_of_pod(std::string_view pod);

// The labels that tell services apart: service, and container, pod and namespace where they are known. The service is
// NAMESPACE/CONTROLLER, else the container's id as tools shorten it, else the unit, else `comm`.
[[nodiscard]] PushLabels labels_of(const Workload& workload, const PodNames& pods, std::string_view comm);

}  // namespace profile
