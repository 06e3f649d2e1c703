// The source SYSTEM:EVENT: a tracepoint of the kernel's, by the names that tracefs lists.
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

// Attaches a program of that type to the tracepoint `name`, SYSTEM:EVENT. Throws Error.
[[nodiscard]] BpfLink attach_tracepoint(bpf_program& program, const std::string& name);

// Whether `event` has the shape of a tracepoint's name; there need not be one of it.
[[nodiscard]] bool is_tracepoint_name(std::string_view event);
// Whether this kernel has tracepoints whose names begin with `word` and a colon; not when the list cannot be read.
[[nodiscard]] bool is_tracepoint_system(std::string_view word);
// All that this kernel has, as SYSTEM:EVENT; none when the list cannot be read.
[[nodiscard]] std::vector<std::string> tracepoint_names();

}  // namespace profile
