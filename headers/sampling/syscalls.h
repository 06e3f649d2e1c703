// The source `syscalls`: which system calls are made, how often, how long they take and how they fail.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sampling/source.h"

namespace profile {

[[nodiscard]] std::unique_ptr<Source> make_syscalls(const SamplingOptions& options);
// As SourceKind::missing wants it.
[[nodiscard]] std::optional<std::string> missing_syscalls(std::string_view name);

}  // namespace profile
