// Writes the samples of a recording into the outputs whose formats have a place for their times.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/reading.h"
#include "app/report_options.h"
#include "input/profile_reader.h"
#include "output/output.h"

namespace profile {

struct TimedReport {
  std::vector<OutputRequest> outputs;
  OutputOptions options;
  std::string command_line;  // of the profiler, for the files
  bool has_lines = false;    // two lines of one function are two frames
};

// Takes those outputs out of `outputs` that are to have the times of the samples: all whose format has a place for
// them, if `paths` is one recording. Throws a usage Error if one needs times that the files do not have.
[[nodiscard]] std::vector<OutputRequest> take_timed(std::vector<OutputRequest>& outputs,
                                                    const std::vector<std::string>& paths);

// Reads the recording and writes it. Returns lines for the user. Throws Error.
[[nodiscard]] std::vector<std::string> write_timed(const TimedReport& report, const std::string& path,
                                                   const ReadRequest& request, const FrameEdits& edits);

}  // namespace profile
