// Parses the command line, checks its form and the options that exclude each other, and converts it into the options of
// the other rooms. It does not check whether the system can do it (a pid exists, a CPU is online): see targets.h.
#pragma once

#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/push_options.h"
#include "app/report_options.h"
#include "app/sink.h"
#include "model/profile.h"
#include "output/output.h"
#include "output/stream.h"
#include "recording/recording.h"
#include "sampling/source.h"
#include "symbol/symboliser.h"

namespace profile {

// A word that a value may be, and its meaning if it has one that --help should say.
struct Choice {
  std::string word;
  std::string summary;
};
using Choices = std::vector<Choice>;

// One row of the table of options. The parser, --help and the completions are all made from this table.
struct OptionRow {
  std::string_view long_name;
  char short_name;            // 0: none
  std::string_view argument;  // placeholder; "": a switch; "[=FORM]", "[N]": its value is optional
  std::string_view summary;   // text of --help, with the default if there is one
  std::string_view group;     // heading of --help
  bool repeatable;
  // How the shells complete the value: the end of the name of a function in app/completion/. "": they offer nothing.
  std::string_view completion = "";
  // All words that the value may be. nullptr: it is free.
  Choices (*choices)() = nullptr;
  bool is_for_files = false;  // only of subcommands, which read profiles from files; a run does not take it
};
[[nodiscard]] std::span<const OptionRow> option_rows();
// Those that a run takes, in the same order.
[[nodiscard]] std::span<const OptionRow> run_option_rows();
// The row of an option that is in the table.
[[nodiscard]] const OptionRow& option_row(std::string_view long_name);
// The row's summary, and the choices behind one that ends in a colon.
[[nodiscard]] std::string summary_of(const OptionRow& row);

// An event of the run.
struct EventOptions {
  const SourceKind* kind = nullptr;
  std::string name;      // as typed
  SourceOptions source;  // those that the kind takes
};

struct Options {
  std::vector<EventOptions> events;                      // empty only with `help`, `version`, a list or `completion`
  SamplingOptions sampling;                              // of all events: without the name and the options of one
  RowsApart apart{.by_thread = false, .by_cpu = false};  // in reports; `sampling` may keep more apart for the page
  bool merge_processes = false;                          // in reports, and at first in the views
  bool command_lines = false;                            // names of processes
  std::string config_path;                               // of --config; "": none
  bool is_check = false;                                 // the options are only checked
  SymbolOptions symbols;
  bool sources = false;        // in pages
  bool frames_by_line = true;  // as RunInfo::frames_by_line
  OutputOptions output;
  // At least one, unless anything else is asked for that shows samples.
  std::vector<OutputRequest> outputs;
  std::vector<OutputRequest> timed_outputs;  // whose formats need the time of each sample
  std::optional<std::uint64_t> keep;         // number of newest files to keep of each output whose path is a pattern
  bool top_view = false;                     // the view in the terminal
  const StreamForm* stream = nullptr;        // nullptr: none
  std::string stream_path;                   // "-": stdout
  std::string recording_path;                // "": no recording is made, or it is the page's
  bool records_for_page = false;             // the page can save the last minutes, which are kept in memory
  RecordingLimits recording_limits;
  PushOptions push;
  std::vector<SinkRequest> sinks;           // all that the options ask for, those of the outputs above, too
  std::optional<double> cpu_limit_percent;  // of one CPU
  std::optional<double> duration_s;         // none: until Ctrl-C or the command's end
  std::optional<double> interval_s;
  std::vector<std::string> command;  // empty: none
  std::string cpus_typed;            // of -C, for the header
  std::string command_line;          // the whole line, quoted for a shell
  std::vector<std::string> remarks;  // for the user, about what was typed
  bool quiet = false;
  bool verbose = false;
  bool help_all = false;  // --help all
  bool help = false;      // with any of the last five, all other options are ignored
  bool version = false;
  bool list_events = false;
  bool list_languages = false;
  std::string completion;  // the shell; empty: not asked for

  // Whether SIGHUP lets the run begin again, with the file of --config as it is then. A command has one life.
  [[nodiscard]] bool reloads() const { return !config_path.empty() && command.empty(); }
  // Whether the run prints more than messages on the terminal: a stream, or the view of --top.
  [[nodiscard]] bool takes_terminal() const;
  [[nodiscard]] bool is_recorded() const { return !recording_path.empty() || records_for_page; }
  [[nodiscard]] bool is_pushed() const { return !push.targets.empty(); }
  // What the run was asked for, as reports show it; the source adds to it.
  [[nodiscard]] RunInfo run_info(const EventOptions& event) const;
  // The reports of the event with that index.
  [[nodiscard]] ReportOptions reports(std::size_t event) const;
};

// The servers in DEBUGINFOD_URLS without paths and passwords: "https://debuginfod.debian.net".
[[nodiscard]] std::string debuginfod_servers();
// `arguments` without the program's name. `is_record`: of `profile record`. Throws a usage Error.
[[nodiscard]] Options parse_options(std::span<const char* const> arguments, bool is_record = false);
void print_usage_line(std::ostream& out);
// `with_rare`: also the options that few runs need.
void print_help(std::ostream& out, bool with_rare);
// "  -e, --event NAME", as --help has it.
[[nodiscard]] std::string left_column(const OptionRow& row);
// Prints a line of --help in two columns.
void print_help_line(std::ostream& out, const std::string& left, std::string_view summary);
// Prints the part of --help that lists the formats.
void print_formats(std::ostream& out);
// --list-events: prints the table of event sources for the user, and says which events are not available here and why.
void print_events(std::ostream& out);
// --list-languages: prints the interpreters that run now, and whether the functions of their scripts are shown. Forks
// the children that read files. Throws Error.
void print_languages(std::ostream& out);
// The shells that there are completions for.
[[nodiscard]] Choices completion_shells();
// --completion: prints the script that a shell needs to complete the command line. The script is made from the tables
// of options, events and formats, so it never differs from them.
void print_completion(std::ostream& out, std::string_view shell);

}  // namespace profile
