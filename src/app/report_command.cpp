#include "app/report_command.h"

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "app/options.h"
#include "app/output_options.h"
#include "app/print.h"
#include "app/reading.h"
#include "app/reports.h"
#include "app/shell_words.h"
#include "support/error.h"

namespace profile {
namespace {

constexpr std::string_view taken_options[] = {"output",  "format",  "folded", "residency", "delimited", "annotations",
                                              "address", "modules", "top",    "quiet",     "help"};
constexpr ReadingCommand command{.name = "report", .options = taken_options};

void print_report_help(std::ostream& out) {
  out << "usage: profile report [options] FILE...\n"
         "\nReads folded lines or pprof profiles, gzip-compressed or not, this program's or others', adds up those of\n"
         "several files and writes them in any format. - is stdin. A value is what the file says is to be shown; of\n"
         "folded lines it is taken for a number of samples.\n\n";
  print_options(out, command);
  out << "\nFormats:\n";
  for (const OutputFormat& format : output_formats()) {
    std::string left = "  " + std::string(format.name) + "  (" + std::string(format.ending) + ")";
    left.append(left.size() < 32 ? 32 - left.size() : 1, ' ');
    out << left << format.summary << '\n';
  }
  out << "\nExamples:\n"
         "  profile report -o out.html out.folded\n"
         "  profile report -f monday.pb.gz tuesday.pb.gz > both.folded\n"
         "  stackcollapse-perf.pl out.perf | profile report -o out.pb.gz -\n";
}

// "a.folded, b.folded and 3 more"
std::string names_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

std::string headline_of(const RunInfo& run, const std::vector<std::string>& names) {
  std::string line = run.unit;
  if (!line.empty() && line.front() >= 'a' && line.front() <= 'z')
    line.front() = static_cast<char>(line.front() - 'a' + 'A');
  return line + " of " + names_of(names) + " by user + kernel stack";
}

void require_sum(const Profile& a, const Profile& b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a.total(), b.total(), &sum)) {
    throw Error("report: the values of all files add up to more than 2^64 - 1");
  }
}

ReadProfile read_all(const std::vector<std::string>& paths) {
  ReadProfile all = read_named(paths.front());
  std::vector<std::string> names{all.name};
  RunInfo& run = all.profile.run;
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const ReadProfile next = read_named(paths[i]);
    require_same_unit(all, next, "added up");
    require_sum(all.profile, next.profile);
    names.push_back(next.name);
    all.profile.merge(next.profile);
    // Of samples that were taken at different rates, only the number makes sense.
    if (run.frequency_hz != next.profile.run.frequency_hz || run.period_events != next.profile.run.period_events) {
      run.frequency_hz = run.period_events = 0;
    }
  }
  if (names.size() > 1 || run.headline.empty()) run.headline = headline_of(run, names);
  return all;
}

}  // namespace

const ReadingCommand& report_command() { return command; }

int run_report(std::span<const char* const> arguments) {
  const ParsedOptions parsed = parse_reading(command, arguments);
  if (parsed.is_on("help")) return print_on_stdout(print_report_help);
  const std::vector<std::string> paths = parsed.positional();
  if (paths.empty()) throw usage_error("report: no file to read (- is stdin)");
  for (const std::string& path : paths) {
    if (path.empty()) throw usage_error("report: '' is not a file name");
  }
  if (std::count(paths.begin(), paths.end(), "-") > 1) throw usage_error("report: - given twice");
  Options options;
  options.output = output_options_of(parsed);
  options.outputs = outputs_of(parsed, "counted", true);
  check_outputs(options.outputs, false, false);

  ReadProfile read = read_all(paths);
  read.profile.run.command_line = "profile report " + shell_quoted(arguments);
  Reports reports(options, say);
  reports.begin(read.profile.run);
  reports.report(read.profile);
  reports.close();
  return reports.have_failed() ? Error::could_not_profile : 0;
}

}  // namespace profile
