// Finds the file and the offsets that uprobe:FILE:SYMBOL means.
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

// True if `event` is meant as a uprobe, even if it is incomplete.
[[nodiscard]] bool is_uprobe_name(std::string_view event);
// FILE ends at the first colon that follows the name of an existing file (`is_there`), or else at the first colon; a
// "::" does not end it. Throws a usage Error when a part is missing.
[[nodiscard]] UprobeName parse_uprobe(std::string_view event, const std::function<bool(const std::string&)>& is_there);

// The functions of the file that have the name. Throws Error, whose text begins with `what`, when there is none, or
// more than can be probed.
[[nodiscard]] std::vector<FoundSymbol> functions_called(FileProbes& probes, const UprobeName& name,
                                                        const ProbedFile& file, const std::string& what);

struct UprobeTarget {
  ProbedFile file;
  std::vector<FileOffset> offsets;  // more than one when several functions have the name
  bool at_entry = false;            // at the first instruction of a function
};
// Throws Error, which says what is missing and suggests the nearest names.
[[nodiscard]] UprobeTarget find_uprobe_target(const SamplingOptions& options);

}  // namespace profile
