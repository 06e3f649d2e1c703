// What a format is: a const Profile in, bytes out. A format knows no file, no kernel and not which source ran. A new
// one is one file and one row in the table of formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string_view>

#include "model/profile.h"

namespace profile {

struct OutputOptions {
  bool delimited = false;  // -d: a delimiter between the kernel and the user part
  // -a: "_[k]" behind kernel frames, "_[i]" behind inlined ones, incomplete_frame() (model/stack_end.h).
  bool annotate = false;
  bool show_addresses = false;  // -A
  bool hide_addresses = false;  // of memory, in formats that are made of them: pprof
  bool show_modules = false;    // --modules: "init [libfoo.so]" where a frame is otherwise its symbol alone
  std::size_t top = 10;         // --top: rows of each table
};

// Where the source of a frame is known (--lines, Frame::source), it is shown without an option:
//   counted             deep(int) (inlined) [app] deep.h:7
//                       main+0x25 [app] main.cpp:42
//   folded, residency   main main.cpp:42;deep(int) deep.h:7
// Functions that were inlined are frames of their own everywhere, and a line is a part of its frame: two lines of one
// function are two boxes of a flame graph. That is what is asked for with --lines, and two lines are two call sites or
// two hot spots; a frame of its own for each line would double the depth and still be one. Text shows files by their
// last name, for paths make lines unreadable; formats that have room for the path show it whole.
class Output {
 public:
  virtual ~Output() = default;
  // What stands once, before the first report; written before sampling starts, so that a person sees it at once.
  virtual void begin(std::ostream&, const RunInfo&) const {}
  // One report; called again for each interval. The profile has been symbolised.
  virtual void report(std::ostream&, const Profile&) const = 0;
};

// What a format has a place for: `stacks` (and what else was measured behind them), `tables` alone, or all there is.
enum class Shows : std::uint8_t { stacks, tables, everything };

struct OutputFormat {
  std::string_view name;     // of --format
  std::string_view ending;   // of the files it is the default for, with its dot; "" if none
  std::string_view summary;  // one line of --help
  Shows shows;
  bool one_report;          // a file holds one
  bool is_binary;           // nothing for a terminal
  std::string_view to_see;  // what whoever has a file of it does next; "" for text
  std::unique_ptr<Output> (*make)(const OutputOptions&);
};

// THE table, in the order of --help. The first row is the default.
[[nodiscard]] std::span<const OutputFormat> output_formats();
// By name; nullptr when there is none.
[[nodiscard]] const OutputFormat* find_output_format(std::string_view name);
// By a path's ending; nullptr when no format claims it.
[[nodiscard]] const OutputFormat* output_format_of_path(std::string_view path);

}  // namespace profile
