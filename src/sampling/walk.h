// Whether user stacks are walked by tables (bpf/walk.bpf.h), and what the walk is told before it is loaded.
#pragma once

#include <bpf/libbpf.h>

#include <optional>
#include <string>

#include "sampling/source.h"

namespace profile {

// What becomes of `options` where the kernel lets nobody walk: its own stacks are bounded by a sysctl.
[[nodiscard]] SamplingOptions within_kernel_depth(SamplingOptions options);

// Between opening and loading, of an object that has the walk. Returns what the person is to be told: why stacks are
// taken by frame pointers although tables were preferred. Throws Error when there must be tables.
std::optional<std::string> prepare_walk(bpf_object& object, const SamplingOptions& options);

// Whether the object has the walk.
[[nodiscard]] bool can_walk(bpf_object& object);

// Of a prepared object: whether its user stacks are walked by tables.
[[nodiscard]] bool walks(bpf_object& object);

}  // namespace profile
