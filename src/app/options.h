// The command line: parsed, checked for form and for what excludes what, and turned into what the other rooms take.
// Whether the system can do it (a pid exists, a CPU is online) is not asked here.
#pragma once

#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"
#include "output/output.h"
#include "output/stream.h"
#include "sampling/source.h"
#include "symbol/symboliser.h"
#include "web/view.h"

namespace profile {

// One row of THE table of options, from which --help, the parser and the completions are made.
struct OptionRow {
  std::string_view long_name;
  char short_name;            // 0: none
  std::string_view argument;  // placeholder; "": a switch; "[=FORM]", "[N]": its value may be left out
  std::string_view summary;   // of --help, with the default where there is one
  std::string_view group;     // heading of --help
  bool repeatable;
};
[[nodiscard]] std::span<const OptionRow> option_rows();

struct OutputRequest {
  std::string path;  // "-": stdout; may be a pattern (files/path_pattern.h)
  const OutputFormat* format = nullptr;
  bool makes_directory = false;  // of a film: its last directory is made when it is missing
};

struct Options {
  const SourceKind* source = nullptr;  // never, unless one of the last four is asked for
  SamplingOptions sampling;
  RowsApart apart{.by_thread = false, .by_cpu = false};  // of reports, as asked for; `sampling` may know more
  SymbolOptions symbols;
  OutputOptions output;
  // At least one, unless something live is asked for; with `stream` just one, whose format is of no account.
  std::vector<OutputRequest> outputs;
  std::optional<std::uint64_t> keep;   // so many files of each output whose path is a pattern
  std::optional<LiveOptions> live;     // the page
  bool top_view = false;               // the view in the terminal
  const StreamForm* stream = nullptr;  // none: reports
  std::optional<double> duration_s;    // none: until Ctrl-C or the command's end
  std::optional<double> interval_s;
  std::vector<std::string> command;  // empty: none
  std::string cpus_typed;            // of -C, for the header
  std::string command_line;          // all of it, quoted as a shell takes it
  std::vector<std::string> remarks;  // on what was typed, for who typed it
  bool quiet = false;
  bool verbose = false;
  bool help = false;  // with any of these nothing else is looked at
  bool version = false;
  bool list_events = false;
  std::string completion;  // the shell; empty: not asked for
};

// `arguments` without the program's name. Throws a usage Error.
[[nodiscard]] Options parse_options(std::span<const char* const> arguments);
void print_usage_line(std::ostream& out);
void print_help(std::ostream& out);

}  // namespace profile
