// Reads the options that say what is written, in which format and where. Sampling, `report` and `diff` share them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/parsed_options.h"
#include "app/report_options.h"
#include "files/readers.h"

namespace profile {

// The outputs that --format, -f, -r, -E, -g and `paths`, the values of -o, ask for. Without any of these it is stdout
// in the default format if `for_stdout`, or else nothing. Throws a usage Error.
[[nodiscard]] std::vector<OutputRequest> outputs_of(const ParsedOptions& parsed, std::vector<std::string> paths,
                                                    std::string_view default_format, bool for_stdout);
// Who may read a new file of that output.
[[nodiscard]] Readers readers_of(const OutputFormat& format, const OutputOptions& options);
// The path of an output of a run of several events: "cpu.html" becomes "cpu.off-cpu.html".
[[nodiscard]] std::string path_of_event(const std::string& path, std::string_view event);
// The path of an output that is a single file: a pattern is expanded with the current time and the number 1. "-" stays.
[[nodiscard]] std::string only_path(const std::string& path);
[[nodiscard]] OutputOptions output_options_of(const ParsedOptions& parsed);
// Checks that the outputs suit the run. `repeated`: there is a report per interval; `keep`: --keep is given. Throws a
// usage Error.
void check_outputs(std::span<const OutputRequest> outputs, bool repeated, bool keep);

[[nodiscard]] inline bool is_page(const OutputRequest& output) { return output.format->graph == Graph::page; }
// --sources: throws a usage Error if none of the outputs is a page.
void require_page(std::span<const OutputRequest> outputs);

}  // namespace profile
