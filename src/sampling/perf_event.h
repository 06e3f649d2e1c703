// The sources with perf's names: the clocks, which sample the CPUs by a kernel timer, and all other events that the
// kernel or the CPUs count.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sampling/source.h"

namespace profile {

[[nodiscard]] std::unique_ptr<Source> make_perf_event(const SamplingOptions& options);
// SourceKind::missing for all these sources.
[[nodiscard]] std::optional<std::string> missing_perf_event(std::string_view event);

}  // namespace profile
