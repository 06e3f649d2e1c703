// THE table of what the programs of bpf/ need of a kernel, beside the structures of bpf/kernel.bpf.h: the events ask it
// before anything is loaded, --list-events prints the same, and the manual's section KERNELS is checked against it.
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
  int major = 0;  // 0: no matter of the version, but of how the kernel was built
  int minor = 0;
  auto operator<=>(const KernelVersion&) const = default;
};

// "5.10.0-46-cloud-amd64"; 0.0 when it is none.
[[nodiscard]] KernelVersion kernel_version_of(std::string_view release);

struct KernelNeed {
  std::string_view piece;
  KernelVersion since;
  // Events, "EVENT OPTIONS" for what needs it besides, "EVENT without BTF", or other uses; ", " between them.
  std::string_view needed_by;
  std::string_view lack;  // what to say without a version
  // Asked of older kernels, into which it may have been taken; nullptr: only who has tried in vain asks for the words.
  bool (*is_there)();
};

constexpr std::string_view every_event = "every event";

[[nodiscard]] std::span<const KernelNeed> kernel_needs();
// Whether `use`, or the event of which it is a use with options, needs it.
[[nodiscard]] bool is_needed_by(const KernelNeed& need, std::string_view use);
// What the kernel lacks of that, in a few words: "needs Linux 5.15 (bpf_task_pt_regs)"; of several the newest.
[[nodiscard]] std::optional<std::string> missing_in_kernel(std::string_view use);
// The same of an event's name as typed or listed, without options.
[[nodiscard]] std::optional<std::string> missing_for_event(std::string_view name);

struct MissingOptions {
  std::string options;
  std::string reason;
};
// With which options an event that is there is not.
[[nodiscard]] std::vector<MissingOptions> missing_with_options(std::string_view name);

// Whether the kernel tells of its types (BTF), so that programs can read its structures.
[[nodiscard]] bool kernel_tells_types();
// Frames of a stack that the kernel takes: a sysctl.
[[nodiscard]] std::optional<std::uint64_t> most_kernel_frames();
// Throws Error when the kernel lacks something for `use`, or for what the options ask for besides.
void require_kernel(std::string_view use, const SamplingOptions& options);

}  // namespace profile
