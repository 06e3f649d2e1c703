#include "app/report_command.h"

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "app/options.h"
#include "app/output_options.h"
#include "app/print.h"
#include "app/reading.h"
#include "app/reports.h"
#include "app/shell_words.h"
#include "model/clock_period.h"
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

constexpr std::string_view of_time = "nanoseconds";

// 0: it is not known, or the values are no samples.
std::uint64_t ns_per_sample(const RunInfo& run) { return run.unit == "samples" ? clock_period_ns(run) : 0; }

// From samples to the time that they stand for.
void weigh(ReadProfile& file) {
  const std::uint64_t factor = ns_per_sample(file.profile.run);
  if (!file.profile.weigh(factor, of_time)) throw Error(file.name + ": its values add up to more than 2^64 - 1");
  file.profile.run.frequency_hz = file.profile.run.period_events = 0;
}

// Samples that were taken at different rates are not worth the same: they are added up as time. Of folded lines the
// rate is not known, and nothing can be done but to say so.
void agree_on_worth(ReadProfile& a, ReadProfile& b, const std::function<void(const std::string&)>& note) {
  RunInfo& run = a.profile.run;
  const RunInfo& next = b.profile.run;
  if (run.frequency_hz == next.frequency_hz && run.period_events == next.period_events && run.unit == next.unit) return;
  const bool a_is_time = run.unit == of_time;
  const bool b_is_time = next.unit == of_time;
  if ((a_is_time || ns_per_sample(run) != 0) && (b_is_time || ns_per_sample(next) != 0)) {
    if (!a_is_time) weigh(a);
    if (!b_is_time) weigh(b);
    return;
  }
  if (run.unit == "samples" && next.unit == "samples" && (ns_per_sample(run) != 0 || ns_per_sample(next) != 0)) {
    const std::string& silent = ns_per_sample(run) == 0 ? a.name : b.name;
    note("at which rate the samples of " + silent +
         " were taken is not known; each counts as much as one of the others");
  }
  if (run.frequency_hz != next.frequency_hz || run.period_events != next.period_events) {
    run.frequency_hz = run.period_events = 0;
  }
}

ReadProfile read_all(const std::vector<std::string>& paths, const std::function<void(const std::string&)>& note) {
  std::vector<std::string> names;
  const auto read = [&](const std::string& path) {
    ReadProfile file = read_named(path);
    names.push_back(file.name);
    if (file.profile.rows().empty()) note("there is no stack in " + file.name);
    return file;
  };
  ReadProfile all = read(paths.front());
  RunInfo& run = all.profile.run;
  for (std::size_t i = 1; i < paths.size(); ++i) {
    ReadProfile next = read(paths[i]);
    agree_on_worth(all, next, note);
    agree_on_unit(all, next, "added up");
    require_sum(all.profile, next.profile);
    all.profile.merge(next.profile);
  }
  if (names.size() > 1 || run.headline.empty()) run.headline = headline_of(run, names);
  return all;
}

}  // namespace

const ReadingCommand& report_command() { return command; }

int run_report(std::span<const char* const> arguments) {
  const ParsedOptions parsed = parse_reading(command, arguments);
  if (parsed.is_on("help")) return print_on_stdout(print_report_help);
  const std::vector<std::string> paths = files_of(command, parsed);
  if (paths.empty()) throw usage_error("report: no file to read (- is stdin)");
  Options options;
  options.output = output_options_of(parsed);
  options.outputs = outputs_of(parsed, "counted", true);
  check_outputs(options.outputs, false, false);

  const bool quiet = parsed.is_on("quiet");
  ReadProfile read = read_all(paths, [quiet](const std::string& line) {
    if (!quiet) say("profile: " + line);
  });
  read.profile.run.command_line = "profile report " + shell_quoted(arguments);
  Reports reports(options, say);
  reports.begin(read.profile.run);
  reports.report(read.profile);
  reports.close();
  return reports.have_failed() ? Error::could_not_profile : 0;
}

}  // namespace profile
