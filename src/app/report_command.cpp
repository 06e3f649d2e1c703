// `profile report FILE...`: reads recorded profiles, also from other tools, and writes them in any format. So
// recording and viewing can be separate.
#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/options.h"
#include "app/output_options.h"
#include "app/print.h"
#include "app/reading.h"
#include "app/reports.h"
#include "app/sources.h"
#include "app/targets.h"
#include "app/timed_report.h"
#include "output/header.h"
#include "output/listing_text.h"
#include "parse/children.h"
#include "support/error.h"
#include "support/plural.h"

namespace profile {

extern const Subcommand report_command;

namespace {

constexpr std::string_view report_options[] = {"from",
                                               "to",
                                               "service",
                                               "host",
                                               "service-version",
                                               "push-auth-file",
                                               "pid",
                                               "tid",
                                               "comm",
                                               "cpu",
                                               "cgroup",
                                               "event",
                                               "focus",
                                               "hide",
                                               "collapse",
                                               "output",
                                               "size",
                                               "format",
                                               "folded",
                                               "residency",
                                               "delimited",
                                               "annotations",
                                               "address",
                                               "modules",
                                               "lines",
                                               "merge-processes",
                                               "top",
                                               "source",
                                               "sources",
                                               "debug-dir",
                                               "debuginfod",
                                               "quiet",
                                               "help"};

void print_report_help(std::ostream& out) {
  out << "usage: profile report [options] FILE|URL...\n"
         "\nReads folded lines, pprof, perf script's text, speedscope's JSON, V8's .cpuprofile, its own JSON and "
         "counted\n"
         "reports, gzip-compressed or not, adds up those of several files and writes them in any format. - is stdin. "
         "A\n"
         "value is what the file says is to be shown; of folded lines it is taken for a number of samples. URL is that "
         "of a\n"
         "store (profile --store): without --from, its last hour.\n\n";
  print_options(out, report_command);
  print_formats(out);
  out << "\nExamples:\n"
         "  profile report -o out.html out.folded\n"
         "  profile report -f monday.pb.gz tuesday.pb.gz > both.folded\n"
         "  perf script | profile report -o out.pb.gz -\n"
         "  profile report --hide '^std::' --collapse recursion -o short.html out.pb.gz\n"
         "  profile report --from 2 --to 5 --comm nginx -o part.html samples.json    of --stream=json\n"
         "  profile report --source parse_line out.pb.gz    which of its lines and instructions cost how much\n"
         "  profile report --debug-dir symbols/ run.db      names what was recorded without symbols\n"
         "  profile report --service shop --from -1h --host 'web-*' -o fleet.html "
         "clickhouse+http://store:8123/profiles\n";
}

// "Samples of a.folded (30.0% in focus) by user + kernel stack". Readers of a report look at the words around it.
std::string headline_of_part(std::string line, const std::string& share) {
  line.insert(std::min(line.rfind(" by "), line.size()), " (" + share + " in focus)");
  return line;
}

int run_report(std::span<const char* const> arguments) {
  const ParsedOptions parsed = parse_reading(report_command, arguments);
  if (parsed.is_on("help")) return print_on_stdout(print_report_help);
  ReportOptions options;
  options.quiet = parsed.is_on("quiet");
  options.output = output_options_of(parsed);  // first, because --top without a number takes the file for one
  const std::vector<std::string> paths = files_of(report_command, parsed);
  if (paths.empty()) throw usage_error("report: no file to read (- is stdin)");
  options.outputs = outputs_of(parsed, parsed.texts("output"), "counted", true);
  check_outputs(options.outputs, false, false);
  const std::vector<OutputRequest> timed = take_timed(options.outputs, paths);

  const std::vector<std::string> functions = parsed.texts("source", "not a function's name");
  const bool sources = parsed.is_on("sources");
  if (sources) require_page(options.outputs);
  const bool shows_code = sources || !functions.empty();
  const bool adds_names = parsed.is_given("debug-dir") || parsed.is_on("debuginfod");
  if (adds_names && !timed.empty()) {
    throw usage_error("report: --debug-dir and --debuginfod cannot be combined with the format " +
                      std::string(timed.front().format->name) + ", which has each sample as it was recorded");
  }
  std::optional<Children> children;  // before the files are in memory
  if (shows_code || adds_names) {
    const std::vector<std::string> directories = parsed.texts("debug-dir", "not a directory");
    children.emplace(directories, parsed.is_on("debuginfod"), shows_code);
    check_debug_directories(directories, *children);
  }

  ReadRequest request = request_of(parsed);
  request.with_times = std::ranges::any_of(options.outputs, is_page);
  const ReadEdits edits = edits_of(parsed);
  parsed.exclude({"pid", "tid"});
  for (const char* const name : {"output", "format", "folded", "residency", "sources"}) {
    parsed.exclude({"source", name});
  }
  const auto note = [&options](const std::string& line) {
    if (!options.quiet) say("profile: " + line);
  };
  if (!timed.empty()) {
    if (edits.merge_processes) {
      throw usage_error("--merge-processes cannot be combined with the format " +
                        std::string(timed.front().format->name) + ", which has each sample of each thread");
    }
    const auto lines = write_timed({.outputs = timed,
                                    .options = options.output,
                                    .command_line = "profile report " + shell_quoted(arguments),
                                    .has_lines = parsed.is_on("lines")},
                                   paths.front(), request, edits.frames);
    if (!options.quiet) std::ranges::for_each(lines, say);
    if (options.outputs.empty()) return 0;
  }
  Profile sum = sum_of_files(paths, request, note);
  if (children) add_names(sum, *children);
  const std::string files = paths.size() == 1 ? paths.front() : number_of(paths.size(), "file");
  if (const std::string share = edits.apply(sum, files, note); !share.empty()) {
    sum.run.headline = headline_of_part(header_line(sum.run), share);
  }
  if (children && (shows_code || parsed.is_on("lines"))) add_lines(sum, *children);
  if (!functions.empty()) {
    const SourceListings listings = listings_of_named(sum, functions, *children, note);
    return print_on_stdout([&](std::ostream& out) { write_listings(out, sum, listings); });
  }
  if (parsed.is_on("lines")) sum.run.frames_by_line = true;
  if (sources)
    options.output.sources = [&](const Profile& profile) { return listings_for_page(profile, *children, note); };
  if (parsed.is_on("debuginfod")) sum.run.debuginfod = debuginfod_servers();
  options.output.has_times = sum.timeline.has_value();
  sum.run.command_line = "profile report " + shell_quoted(arguments);
  Reports reports(options, say);
  reports.begin(sum.run);
  reports.write(sum);
  reports.end();
  if (!options.quiet) {
    for (const std::string& line : reports.answer()) say(line);
  }
  return reports.has_failed() ? Error::could_not_profile : 0;
}

}  // namespace

const Subcommand report_command{.name = "report",
                                .summary = "write recorded profiles in any format",
                                .arguments = "FILE...",
                                .files = "'*:FILE:_files'",
                                .options = report_options,
                                .run = run_report};

}  // namespace profile
