// The source `malloc`: who asks the C library for memory, and with --live who has not given it back.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sampling/source.h"

namespace profile {

[[nodiscard]] std::unique_ptr<Source> make_malloc(const SamplingOptions& options);
// As SourceKind::missing wants it.
[[nodiscard]] std::optional<std::string> missing_malloc(std::string_view name);

}  // namespace profile
