// The sources by perf's names: what runs on the CPUs by a timer of the kernel's, and any other event that the kernel or
// the CPUs can count.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sampling/source.h"

namespace profile {

[[nodiscard]] std::unique_ptr<Source> make_perf_event(const SamplingOptions& options);
// SourceKind::missing of all of them.
[[nodiscard]] std::optional<std::string> missing_perf_event(std::string_view event);

// How often, in the words of RunInfo::title: "at 49 Hertz", "every 100 events".
[[nodiscard]] std::string told_rate(std::uint64_t frequency_hz, std::uint64_t period_events);

}  // namespace profile
