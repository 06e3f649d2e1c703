// The part of the command line that says what is written, in which format and where to. Sampling, `report` and `diff`
// have it in common.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.h"
#include "app/parsed_options.h"

namespace profile {

// What -o, --format, -f, -r, -E and -g ask for. Without any of these it is stdout in the default format, or nothing
// unless `for_stdout`. Throws a usage Error.
[[nodiscard]] std::vector<OutputRequest> outputs_of(const ParsedOptions& parsed, std::string_view default_format,
                                                    bool for_stdout);
// The file of an output that is one file, whatever its name says of time; "-" stays.
[[nodiscard]] std::string only_path_of(const OutputRequest& output);
[[nodiscard]] OutputOptions output_options_of(const ParsedOptions& parsed);
// Whether they can hold what is to come: `repeated`, a report an interval; `keep`, --keep is given. Throws a usage
// Error.
void check_outputs(std::span<const OutputRequest> outputs, bool repeated, bool keep);

}  // namespace profile
