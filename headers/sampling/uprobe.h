// The source uprobe:FILE:SYMBOL: who comes to a function of a program or library, or to a place in it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sampling/source.h"

namespace profile {

[[nodiscard]] std::unique_ptr<Source> make_uprobe(const SamplingOptions& options);
// As SourceKind::missing wants it; for every source that works by probes of user programs.
[[nodiscard]] std::optional<std::string> missing_uprobes(std::string_view name);

}  // namespace profile
