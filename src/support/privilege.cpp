#include "support/privilege.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>

#include "support/text_file.h"
#include "support/text_parts.h"

namespace profile {
namespace {

// Measured with setpriv on 6.18: sampling needs the first two, the others are for names. The cost of a sample also
// needs cap_sys_admin, and pinned maps that only root may read need cap_dac_override.
constexpr const char* how_to_get_privilege =
    "run it with sudo, or grant the file cap_bpf,cap_perfmon,cap_sys_ptrace,cap_dac_read_search,cap_checkpoint_restore,"
    "cap_syslog (setcap …+ep)";

bool has_capability(int capability) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3]{};
  if (::syscall(SYS_capget, &header, data) != 0) return false;
  return (data[capability / 32].effective >> (capability % 32) & 1U) != 0;
}

bool is_admin() { return has_capability(CAP_SYS_ADMIN); }

// Takes "confidentiality" from "none integrity [confidentiality]".
std::string lockdown_mode() {
  const auto line = read_first_line("/sys/kernel/security/lockdown");
  if (!line) return "none";
  const auto open = line->find('[');
  const auto close = line->find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return "none";
  return line->substr(open + 1, close - open - 1);
}

// In the initial user namespace, the first line of the map covers all ids.
std::optional<std::string> user_namespace_in_the_way() {
  const auto line = read_first_line("/proc/self/uid_map");
  if (!line || *line == "         0          0 4294967295") return std::nullopt;
  return "this is root of a user namespace, and BPF and perf events want the privilege of the initial one: run it on "
         "the host, or in a container without a user namespace (not rootless)";
}

bool is_under_seccomp() {
  const std::string status = read_text_file("/proc/self/status").value_or("");
  return find_field(status, "Seccomp") == "2";
}

// Why a process that has the privilege is refused.
std::string refusal_of(const std::string& what, int error) {
  if (auto user_namespace = user_namespace_in_the_way()) return *user_namespace;
  return words_of_refusal(what, error, is_under_seccomp(), read_first_line("/sys/kernel/security/lsm"));
}

// Whether any module of the list ("capability,landlock,apparmor") can refuse BPF or perf events.
bool can_refuse(std::string_view modules) {
  constexpr std::string_view harmless[] = {"capability", "lockdown",  "yama", "landlock", "loadpin",
                                           "safesetid",  "integrity", "ima",  "evm",      "ipe"};
  while (!modules.empty()) {
    if (std::ranges::find(harmless, take_until(modules, ',')) == std::end(harmless)) return true;
  }
  return false;
}

}  // namespace

std::string words_of_refusal(const std::string& what, int error, bool is_filtered,
                             const std::optional<std::string>& modules) {
  const std::string refused = " refuses " + what + " although this process has the privilege";
  const std::string list = modules ? " (there are " + *modules + ")" : "";
  if (!is_filtered) return "a security module" + refused + list;
  // An active filter is not always the one that refuses. But security modules never answer ENOSYS.
  const bool is_filter = error == ENOSYS || (modules && !can_refuse(*modules));
  return "a seccomp filter (a container's?)" + (is_filter ? "" : " or a security module" + list) + refused +
         "; allow bpf and perf_event_open there";
}

std::optional<std::string> missing_by_lockdown() {
  if (lockdown_mode() != "confidentiality") return std::nullopt;
  return std::string(locked_down) + "; boot with lockdown=integrity or less";
}

std::optional<std::string> missing_for_bpf(int error) {
  if (error == ENOSYS && !is_under_seccomp())
    return "this kernel has no BPF (CONFIG_BPF_SYSCALL and CONFIG_BPF_EVENTS)";
  if (error == EPERM || error == EACCES || error == ENOSYS) {
    if (!is_admin() && !(has_capability(CAP_BPF) && has_capability(CAP_PERFMON))) {
      return std::string("loading BPF programs needs root, or capabilities: ") + how_to_get_privilege;
    }
    if (auto lockdown = missing_by_lockdown()) return lockdown;
    return refusal_of("to load BPF programs", error);
  }
  return std::nullopt;
}

std::optional<std::string> missing_for_perf(int error) {
  if (error != EPERM && error != EACCES) return std::nullopt;
  if (auto lockdown = missing_by_lockdown()) return lockdown;
  const auto paranoid = read_number("/proc/sys/kernel/perf_event_paranoid").value_or(2);
  const std::string level = "kernel.perf_event_paranoid is " + std::to_string(paranoid);
  const bool may_monitor = has_capability(CAP_PERFMON);
  // Linux itself has no level above 2.
  if (paranoid > 2 && may_monitor && !is_admin()) {
    return level +
           ", at which kernels of Debian and Ubuntu let only root and cap_sys_admin have perf events; set it to 2";
  }
  if (is_admin() || may_monitor) return refusal_of("perf events", error);
  return "sampling all processes needs root, or capabilities (" + level + "): " + how_to_get_privilege;
}

// The same rule as kallsyms_show_value() in kernel/ksyms_common.c.
std::optional<std::string> hidden_kernel_symbols() {
  const auto restrict_level = read_number("/proc/sys/kernel/kptr_restrict").value_or(0);
  const auto paranoid = read_number("/proc/sys/kernel/perf_event_paranoid").value_or(2);
  if (restrict_level == 0 && paranoid <= 1) return std::nullopt;
  if (restrict_level <= 1 && has_capability(CAP_SYSLOG)) return std::nullopt;
  std::string text = "kernel functions have no names: kernel.kptr_restrict is " + std::to_string(restrict_level);
  return text + (restrict_level <= 1 ? " and cap_syslog is missing; grant it" : "; set it to 1 or 0");
}

}  // namespace profile
