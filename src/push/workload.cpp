#include "push/workload.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "support/ascii.h"
#include "support/text_parts.h"

namespace profile {
namespace {

constexpr std::size_t container_id_digits = 64;
constexpr std::size_t task_id_digits = 32;  // of Amazon's ECS: followed by a dash and a number
constexpr std::size_t shown_id_digits = 12;
constexpr std::size_t uid_characters = 36;

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }
bool are_hex(std::string_view text) { return std::ranges::all_of(text, is_hex); }

std::vector<std::string_view> components_of(std::string_view path) {
  std::vector<std::string_view> components;
  while (!path.empty()) {
    const std::string_view component = take_until(path, '/');
    if (!component.empty()) components.push_back(component);
  }
  return components;
}

bool is_container_id(std::string_view text) {
  if (text.size() == container_id_digits) return are_hex(text);
  if (text.size() < task_id_digits + 2 || !are_hex(text.substr(0, task_id_digits))) return false;
  return text[task_id_digits] == '-' && std::ranges::all_of(text.substr(task_id_digits + 1), is_digit);
}

// The id in "docker-ID.scope", "cri-containerd-ID.scope", "SLICE:cri-containerd:ID", "crio-ID" or "ID".
std::string_view container_in(std::string_view component) {
  if (component.ends_with(".scope")) component.remove_suffix(std::string_view(".scope").size());
  if (is_container_id(component)) return component;
  const std::size_t separator = component.find_last_of(":-");
  if (separator == std::string_view::npos) return {};
  const std::string_view runtime = component.substr(0, separator);
  // The monitor of a container runs beside it, with the container's id in its name.
  if (runtime.ends_with("conmon")) return {};
  const std::string_view id = component.substr(separator + 1);
  return id.size() == container_id_digits && are_hex(id) ? id : std::string_view();
}

bool is_uid(std::string_view text) {
  if (text.size() == uid_characters) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
      if (is_dash ? text[i] != '-' && text[i] != '_' : !is_hex(text[i])) return false;
    }
    return true;
  }
  return text.size() == task_id_digits && are_hex(text);  // of a static pod: a hash of its file
}

// The uid in "podUID", "kubepods-burstable-podUID.slice" or "kubepods-podUID.slice:cri-containerd:ID".
std::string pod_uid_in(std::string_view component) {
  component = component.substr(0, component.find(':'));
  if (component.ends_with(".slice")) component.remove_suffix(std::string_view(".slice").size());
  const std::size_t at = component.rfind("pod");
  if (at == std::string_view::npos || (at != 0 && component[at - 1] != '-')) return {};
  std::string uid(component.substr(at + 3));
  if (!is_uid(uid)) return {};
  std::ranges::replace(uid, '_', '-');
  return uid;
}

// systemd writes other characters than letters, digits, ":", "_" and "." as \xNN.
std::string unescaped(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    std::string_view digits = name.substr(0, 4);
    const bool is_escape = digits.size() == 4 && digits.starts_with("\\x");
    const auto code = is_escape ? parse_number<unsigned char>(digits.substr(2), 16) : std::nullopt;
    text += code ? static_cast<char>(*code) : name.front();
    name.remove_prefix(code ? 4 : 1);
  }
  return text;
}

// What Kubernetes makes names of, so that they spell no word.
bool is_random_part(std::string_view text) {
  constexpr std::string_view alphabet = "bcdfghjklmnpqrstvwxz2456789";
  return !text.empty() && text.find_first_not_of(alphabet) == std::string_view::npos;
}

std::string_view last_part(std::string_view name) {
  const std::size_t dash = name.rfind('-');
  return dash == std::string_view::npos || dash == 0 ? std::string_view() : name.substr(dash + 1);
}

std::string_view without_last_part(std::string_view name) { return name.substr(0, name.rfind('-')); }

}  // namespace

Workload workload_of(std::string_view path) {
  Workload workload;
  for (const std::string_view component : components_of(path)) {
    if (const std::string_view id = container_in(component); !id.empty()) workload.container = id;
    if (std::string uid = pod_uid_in(component); !uid.empty()) workload.pod_uid = std::move(uid);
    constexpr std::string_view service = ".service";
    if (component.ends_with(service) && component.size() > service.size()) {
      workload.unit = unescaped(component.substr(0, component.size() - service.size()));
    } else if (component.ends_with(".scope")) {
      workload.unit.clear();  // a program that the service only started, as a session or a desktop does
    }
  }
  if (!workload.container.empty() || !workload.pod_uid.empty()) workload.unit.clear();
  return workload;
}

std::string_view cgroup_path_in(std::string_view text) {
  std::string_view unified;
  std::string_view longest;
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    const bool is_unified = line.starts_with("0::");
    take_until(line, ':');
    take_until(line, ':');
    if (is_unified) {
      unified = line;
    } else if (line.size() > longest.size()) {
      longest = line;
    }
  }
  return unified.size() > 1 || longest.size() <= 1 ? (unified.empty() ? longest : unified) : longest;
}

PodNames pod_names_in(const std::string& directory) {
  PodNames names;
  std::error_code error;
  for (auto at = std::filesystem::directory_iterator(directory, error); !error && at != decltype(at)();
       at.increment(error)) {
    const std::string entry = at->path().filename().string();
    // Neither a namespace nor a pod has a "_" in its name.
    std::string_view rest = entry;
    const std::string_view space = take_until(rest, '_');
    const std::string_view pod = take_until(rest, '_');
    if (space.empty() || pod.empty() || !is_uid(rest)) continue;
    names.insert_or_assign(std::string(rest), PodName{.space = std::string(space), .name = std::string(pod)});
  }
  return names;
}

std::string_view controller_of_pod(std::string_view pod) {
  constexpr std::size_t suffix = 5;
  constexpr std::size_t least_hash = 8;
  constexpr std::size_t most_hash = 10;
  const std::string_view last = last_part(pod);
  if (!last.empty() && std::ranges::all_of(last, is_digit)) return without_last_part(pod);  // of a StatefulSet
  if (last.size() != suffix || !is_random_part(last)) return pod;
  const std::string_view rest = without_last_part(pod);
  const std::string_view hash = last_part(rest);  // of a ReplicaSet
  const bool is_hash = hash.size() >= least_hash && hash.size() <= most_hash && is_random_part(hash);
  return is_hash ? without_last_part(rest) : rest;
}

PushLabels labels_of(const Workload& workload, const PodNames& pods, std::string_view comm) {
  PushLabels labels;
  const std::string container = workload.container.substr(0, shown_id_digits);
  if (!container.empty()) labels.emplace("container", container);
  std::string service(comm);
  if (!workload.unit.empty()) service = workload.unit;
  if (!container.empty()) service = container;
  if (const auto pod = pods.find(workload.pod_uid); pod != pods.end()) {
    labels.emplace("namespace", pod->second.space);
    labels.emplace("pod", pod->second.name);
    service = pod->second.space + '/' + std::string(controller_of_pod(pod->second.name));
  } else if (!workload.pod_uid.empty()) {
    labels.emplace("pod", workload.pod_uid);
  }
  labels.emplace("service", std::move(service));
  return labels;
}

}  // namespace profile
