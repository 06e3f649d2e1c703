// Decides whether the BPF programs walk user stacks (bpf/walk.bpf.h) or the kernel does, and configures the walk before
// it is loaded.
#pragma once

#include <bpf/libbpf.h>

#include <optional>
#include <string>

#include "sampling/source.h"

namespace profile {

// `options` with max_stack_depth lowered to the limit of the kernel (sysctl kernel.perf_event_max_stack).
[[nodiscard]] SamplingOptions within_kernel_depth(SamplingOptions options);

// Call it between opening and loading. Returns a line for the user when stacks are
// walked by frame pointers although tables are preferred. Throws Error when the user demands tables and they cannot be
// used. `has_rate`: the samples come at a known rate, for which the ring buffer has room.
std::optional<std::string> prepare_walk(bpf_object& object, const SamplingOptions& options, bool has_rate);

// True if this prepared object walks user stacks itself.
[[nodiscard]] bool walks(bpf_object& object);

}  // namespace profile
