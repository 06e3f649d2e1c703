// What a format is: a const Profile in, bytes out. A format knows no file, no kernel and not which source ran. A new
// one is one file and one row in the table of formats.
#pragma once

#include <iosfwd>
#include <memory>
#include <span>
#include <string_view>

#include "model/profile.h"

namespace profile {

struct OutputOptions {
  bool delimited = false;        // -d: a delimiter between the kernel and the user part
  bool annotate_kernel = false;  // -a: "_[k]" behind kernel frames
  bool show_addresses = false;   // -A
};

class Output {
 public:
  virtual ~Output() = default;
  // What stands once, before the first report; written before sampling starts, so that a person sees it at once.
  virtual void begin(std::ostream&, const RunInfo&) const {}
  // One report; called again for each interval. The profile has been symbolised.
  virtual void report(std::ostream&, const Profile&) const = 0;
};

struct OutputFormat {
  std::string_view name;     // of --format
  std::string_view ending;   // of the files it is the default for, with its dot; "" if none
  std::string_view summary;  // one line of --help
  std::unique_ptr<Output> (*make)(const OutputOptions&);
};

// THE table, in the order of --help. The first row is the default.
[[nodiscard]] std::span<const OutputFormat> output_formats();
// By name; nullptr when there is none.
[[nodiscard]] const OutputFormat* find_output_format(std::string_view name);
// By a path's ending; nullptr when no format claims it.
[[nodiscard]] const OutputFormat* output_format_of_path(std::string_view path);

}  // namespace profile
