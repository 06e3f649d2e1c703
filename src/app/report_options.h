// What the reports of a run or of a command are: where they go, in which form, and what they show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/profile.h"
#include "output/output.h"

namespace profile {

struct OutputRequest {
  std::string path;  // "-": stdout; may be a pattern (files/path_pattern.h)
  const OutputFormat* format = nullptr;
  bool is_gzipped = false;
  bool is_film = false;          // it shows the time, and not the profiler's own work
  bool makes_directory = false;  // the last directory of `path`, a pattern, is created if it is missing
};

struct ReportOptions {
  std::vector<OutputRequest> outputs;
  OutputOptions output;
  std::optional<std::uint64_t> keep;  // number of newest files to keep of each output whose path is a pattern
  std::optional<double> interval_s;   // none: one report, at the end
  std::optional<RowsApart> apart;     // what reports keep apart, if that is less than what is added keeps apart
  bool quiet = false;
};

}  // namespace profile
