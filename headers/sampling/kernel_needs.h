// The only table of what the BPF programs need of a kernel, besides the structures in bpf/kernel.bpf.h. The events
// check it before they load anything, --list-events prints from it, and the manual's section KERNELS is tested against
// it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/source.h"

namespace profile {

struct KernelVersion {
  int major = 0;  // 0: it depends on how the kernel was built, not on its version
  int minor = 0;
  auto operator<=>(const KernelVersion&) const = default;
};

// Parses "5.10.0-46-cloud-amd64"; 0.0 when `release` is no version.
[[nodiscard]] KernelVersion kernel_version_of(std::string_view release);
// 0.0: it does not say.
[[nodiscard]] KernelVersion running_kernel();

struct KernelNeed {
  std::string_view piece;
  KernelVersion since = {};
  // A list of uses, separated by ", ". A use is an event, "EVENT OPTIONS", "EVENT without BTF", or something else.
  std::string_view needed_by;
  std::string_view lack = "";  // the message when `since` is no version
  // Checks a kernel older than `since`, which may have a backport. nullptr: no check, because callers ask only after
  // the kernel has refused.
  bool (*is_there)() = nullptr;
};

constexpr std::string_view every_event = "every event";

[[nodiscard]] std::span<const KernelNeed> kernel_needs();
// True if `use` needs it. "EVENT OPTIONS" also needs all that "EVENT" needs.
[[nodiscard]] bool is_needed_by(const KernelNeed& need, std::string_view use);
// What the kernel lacks for `use`, in a few words: "needs Linux 5.15 (bpf_task_pt_regs)". nullopt: it lacks nothing. Of
// several needs it names the newest.
[[nodiscard]] std::optional<std::string> missing_in_kernel(std::string_view use);

struct MissingOptions {
  std::string options;
  std::string reason;
};
// For an event that is available: the options with which it is not, and why.
[[nodiscard]] std::vector<MissingOptions> missing_with_options(std::string_view name);

// Whether system calls are counted by programs on trace events. Since Linux 7 a program of the kind tp_btf may lose its
// CPU, and the kernel then skips it for all other tasks there. Older kernels do not do that, and detach it faster.
[[nodiscard]] bool counts_on_trace_events();
// True if the kernel describes its types (BTF), so that BPF programs can read its structures.
[[nodiscard]] bool kernel_tells_types();
// The most frames of a stack that the kernel takes (sysctl kernel.perf_event_max_stack); nullopt: not known.
[[nodiscard]] std::optional<std::uint64_t> most_kernel_frames();
// Throws Error when the kernel lacks something that `use` or the options need.
void require_kernel(std::string_view use, const SamplingOptions& options);

}  // namespace profile
