// The sources `off-cpu`, how long threads are not on a CPU and where, and `wall`, which adds how long they are.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sampling/source.h"

namespace profile {

[[nodiscard]] std::unique_ptr<Source> make_off_cpu(const SamplingOptions& options);
[[nodiscard]] std::unique_ptr<Source> make_wall(const SamplingOptions& options);
// As SourceKind::missing wants it.
[[nodiscard]] std::optional<std::string> missing_off_cpu(std::string_view name);

}  // namespace profile
