#include "support/privilege.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "support/text_file.h"

namespace profile {
namespace {

// Measured with setpriv on 6.18: the first two are what sampling takes, the others are for names. The cost a sample
// needs cap_sys_admin besides, and pinned maps that only root may read cap_dac_override.
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

// "confidentiality" from "none integrity [confidentiality]".
std::string lockdown_mode() {
  const auto line = read_first_line("/sys/kernel/security/lockdown");
  if (!line) return "none";
  const auto open = line->find('[');
  const auto close = line->find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return "none";
  return line->substr(open + 1, close - open - 1);
}

std::optional<std::string> lockdown_in_the_way() {
  if (lockdown_mode() != "confidentiality") return std::nullopt;
  return "the kernel is locked down (confidentiality), which forbids reading stacks; boot with lockdown=integrity or "
         "less";
}

// What is said of all ids by the first line of the map in the initial one.
std::optional<std::string> user_namespace_in_the_way() {
  const auto line = read_first_line("/proc/self/uid_map");
  if (!line || *line == "         0          0 4294967295") return std::nullopt;
  return "this is root of a user namespace, and BPF and perf events want the privilege of the initial one: run it on "
         "the host, or in a container without a user namespace (not rootless)";
}

// Why one with the privilege is refused.
std::string refusal_of(const std::string& what) {
  if (auto user_namespace = user_namespace_in_the_way()) return *user_namespace;
  return "the kernel refuses " + what +
         " although this process has the privilege (a security module, or a container's seccomp filter?)";
}

}  // namespace

std::optional<std::string> missing_for_bpf(int error) {
  if (error == ENOSYS)
    return "this kernel has no BPF; it needs 5.8 or later with CONFIG_BPF_SYSCALL and CONFIG_BPF_EVENTS";
  if (error == EPERM || error == EACCES) {
    if (!is_admin() && !(has_capability(CAP_BPF) && has_capability(CAP_PERFMON))) {
      return std::string("loading BPF programs needs privilege: ") + how_to_get_privilege;
    }
    if (auto lockdown = lockdown_in_the_way()) return lockdown;
    return refusal_of("to load BPF programs");
  }
  if (::access("/sys/kernel/btf/vmlinux", R_OK) != 0 && (error == ENOENT || error == EINVAL || error == ESRCH)) {
    return "this kernel gives no type information (/sys/kernel/btf/vmlinux), which following a command and filters by "
           "namespace need; use a kernel with CONFIG_DEBUG_INFO_BTF, or leave those options out";
  }
  return std::nullopt;
}

std::optional<std::string> missing_for_perf(int error) {
  if (error != EPERM && error != EACCES) return std::nullopt;
  if (auto lockdown = lockdown_in_the_way()) return lockdown;
  if (is_admin() || has_capability(CAP_PERFMON)) return refusal_of("perf events");
  const auto paranoid = read_number("/proc/sys/kernel/perf_event_paranoid");
  return "sampling all processes needs privilege (kernel.perf_event_paranoid is " +
         std::to_string(paranoid.value_or(2)) + "): " + how_to_get_privilege;
}

// The rule of kallsyms_show_value() in kernel/ksyms_common.c.
std::optional<std::string> hidden_kernel_symbols() {
  const auto restrict_level = read_number("/proc/sys/kernel/kptr_restrict").value_or(0);
  const auto paranoid = read_number("/proc/sys/kernel/perf_event_paranoid").value_or(2);
  if (restrict_level == 0 && paranoid <= 1) return std::nullopt;
  if (restrict_level <= 1 && has_capability(CAP_SYSLOG)) return std::nullopt;
  std::string text = "kernel functions have no names: kernel.kptr_restrict is " + std::to_string(restrict_level);
  return text + (restrict_level <= 1 ? " and cap_syslog is missing; grant it" : "; set it to 1 or 0");
}

}  // namespace profile
