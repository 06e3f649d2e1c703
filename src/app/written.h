// The message about a written file: "wrote cpu.html (98 kB), open it in a browser".
#pragma once

#include <cstdint>
#include <string>

#include "files/destination.h"
#include "files/file_series.h"
#include "output/output.h"

namespace profile {

// "512 bytes", "98 kB", "1.2 MB"
[[nodiscard]] std::string size_text(std::uint64_t bytes);
[[nodiscard]] std::string wrote(const Destination& file, const OutputFormat& format);
// At least one file of the series was written.
[[nodiscard]] std::string wrote(const FileSeries& series, const OutputFormat& format);

}  // namespace profile
