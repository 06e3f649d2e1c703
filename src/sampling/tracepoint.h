// The source SYSTEM:EVENT: a tracepoint of the kernel, by its name in tracefs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/source.h"
#include "support/bpf.h"

namespace profile {

[[nodiscard]] std::unique_ptr<Source> make_tracepoint(const SamplingOptions& options);
[[nodiscard]] std::optional<std::string> missing_tracepoints(std::string_view name);

// Attaches a BPF program of the type "tracepoint" to the tracepoint `name` (SYSTEM:EVENT). Throws Error.
[[nodiscard]] BpfLink attach_tracepoint(bpf_program& program, const std::string& name);

// True if `event` has the form of a tracepoint's name. The tracepoint need not exist.
[[nodiscard]] bool is_tracepoint_name(std::string_view event);
// True if this kernel has tracepoints whose names begin with `word` and a colon. False when the list cannot be read.
[[nodiscard]] bool is_tracepoint_system(std::string_view word);
// All tracepoints of this kernel, as SYSTEM:EVENT; empty when the list cannot be read.
[[nodiscard]] std::vector<std::string> tracepoint_names();

}  // namespace profile
