// The interface of an output format: it turns a const Profile into bytes. A format knows no file, no kernel and no
// event source. A new format needs one file and one row in the table of formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string_view>

#include "model/listing.h"
#include "model/profile.h"
#include "output/picture_size.h"

namespace profile {

struct OutputOptions {
  bool delimited = false;  // -d: a delimiter between the kernel and the user part
  // -a: "_[k]" after kernel frames, "_[i]" after inlined ones, and incomplete_frame() (model/stack_end.h).
  bool annotate = false;
  bool show_addresses = false;  // -A
  bool hide_addresses = false;  // in pprof, of code that is in no file
  // In pprof, a sample has no label but its process, because stores make a series of each set of labels.
  bool for_store = false;
  bool has_times = false;     // a page shows when each sample was taken
  bool show_modules = false;  // --modules: "init [libfoo.so]" in formats that otherwise show only the symbol
  std::size_t top = 10;       // --top: rows of each table
  // --sources: the source and the code that a page shows. Empty: none.
  std::function<SourceListings(const Profile&)> sources = nullptr;
  PictureSize picture = {};  // --size: of SVG and PNG
};

// If the source of a frame is known (--lines, Frame::source), it is shown without an option:
//   counted             deep(int) (inlined) [app] deep.h:7
//                       main+0x25 [app] main.cpp:42
//   folded, residency   main main.cpp:42;deep(int) deep.h:7
// Each inlined function is a frame in all formats. With --lines the line is part of the frame: two lines of one
// function are two call sites or two hot spots, so they are two boxes. Text formats show only the last part of the
// path, because whole paths make lines unreadable; other formats show the whole path.
struct Output {
  // Writes what comes before the first report. It runs before sampling starts, so that the user sees it at once.
  std::function<void(std::ostream&, const RunInfo&)> begin = [](std::ostream&, const RunInfo&) {};
  // Writes one report; it runs once for each interval. `profile` is symbolised.
  std::function<void(std::ostream&, const Profile&)> report;
};

// What a format shows: `stacks`, these and behind them the tables as text, only `tables`, or `everything`.
enum class Shows : std::uint8_t { stacks, stacks_and_tables, tables, everything };
[[nodiscard]] constexpr bool is_for_stacks(Shows shows) {
  return shows == Shows::stacks || shows == Shows::stacks_and_tables;
}

// Whether a format shows at which addresses other users' processes have their code.
enum class Addresses : std::uint8_t { none, if_shown, always };  // if_shown: with -A

// Whether a format draws a flame graph, which --size is for, or has it on a page, which also has code and times.
enum class Graph : std::uint8_t { none, picture, page };

class TimedOutput;

struct OutputFormat {
  std::string_view name;     // of --format
  std::string_view ending;   // default format of files with this ending (with its dot); "" if none
  std::string_view summary;  // one line of --help
  Shows shows;
  bool one_report;  // a file holds only one report
  bool is_binary;   // not for a terminal
  Addresses addresses;
  Graph graph;
  bool keeps_wakers;        // it has a place for the thread that ended a wait; others get it as frames (model/wakers.h)
  std::string_view to_see;  // how the user views a file of this format, with % for its path; "" for text
  Output (*make)(const OutputOptions&);  // nullptr: the format needs the time of each sample
  // Writes samples that have times (output/timed.h); nullptr: the format has no place for times.
  std::unique_ptr<TimedOutput> (*make_timed)(const OutputOptions&) = nullptr;
};

// Whether the format needs the time of each sample, so that a report cannot be written in it.
[[nodiscard]] inline bool needs_times(const OutputFormat& format) { return format.make == nullptr; }

// Whether what the format writes with these options has addresses.
[[nodiscard]] bool has_addresses(const OutputFormat& format, const OutputOptions& options);

// The one table of formats, in the order of --help. The first row is the default.
[[nodiscard]] std::span<const OutputFormat> output_formats();
// Returns nullptr when no format has this name.
[[nodiscard]] const OutputFormat* find_output_format(std::string_view name);
// Finds the format by the ending of the path, also before ".gz"; nullptr when no format has it.
[[nodiscard]] const OutputFormat* output_format_of_path(std::string_view path);
// Whether a file of that name is compressed besides its format: "cpu.folded.gz", and not "cpu.pb.gz".
[[nodiscard]] bool is_gzip_path(std::string_view path);
// What `print` writes reaches `out` compressed, as one member of a gzip file; nothing is nothing.
void write_gzipped(std::ostream& out, const std::function<void(std::ostream&)>& print);
// The same output, compressed: each call writes a member of the file.
[[nodiscard]] Output gzipped(Output output);

}  // namespace profile
