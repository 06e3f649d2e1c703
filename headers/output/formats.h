// The makers of all formats, for the table in formats.cpp. Each is defined in the format's own file, which is all there
// is of a format besides its row.
#pragma once

#include <memory>

#include "output/output.h"

namespace profile {

std::unique_ptr<Output> make_counted(const OutputOptions& options);
std::unique_ptr<Output> make_folded(const OutputOptions& options);
std::unique_ptr<Output> make_residency(const OutputOptions& options);
std::unique_ptr<Output> make_table(const OutputOptions& options);
std::unique_ptr<Output> make_html(const OutputOptions& options);
std::unique_ptr<Output> make_svg(const OutputOptions& options);
std::unique_ptr<Output> make_png(const OutputOptions& options);
std::unique_ptr<Output> make_pprof(const OutputOptions& options);
std::unique_ptr<Output> make_speedscope(const OutputOptions& options);
std::unique_ptr<Output> make_json(const OutputOptions& options);

}  // namespace profile
