// What uprobe:FILE:SYMBOL means: which file, and where in it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/probed_file.h"
#include "sampling/source.h"

namespace profile {

struct UprobeName {
  std::string file;
  std::string symbol;
  std::uint64_t offset = 0;  // from the symbol's first instruction
};

// Whether `event` is meant to be one, complete or not.
[[nodiscard]] bool is_uprobe_name(std::string_view event);
// FILE ends at the first colon, or, when no file is called so, at the first one before which stands the name of one
// that is (`is_there`). Throws a usage Error when a part is missing.
[[nodiscard]] UprobeName parse_uprobe(std::string_view event, const std::function<bool(const std::string&)>& is_there);

struct UprobeTarget {
  ProbedFile file;
  std::vector<FileOffset> offsets;  // more than one when several functions have the name
  bool at_entry = false;            // at the first instruction of a function
};
// Throws Error: what is missing, and what comes nearest to it.
[[nodiscard]] UprobeTarget find_uprobe_target(const SamplingOptions& options);

}  // namespace profile
