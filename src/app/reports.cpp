#include "app/reports.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <ostream>
#include <sstream>
#include <utility>

#include "app/options.h"
#include "app/output_options.h"
#include "app/print.h"
#include "children/own_processes.h"
#include "model/wakers.h"
#include "output/hottest.h"
#include "output/process_shares.h"
#include "support/clock.h"
#include "support/error.h"

namespace profile {

namespace {

// The time between the last interval and the end of the run is not reported if it is shorter than this part of an
// interval and has no samples. It would be one picture too many in a film.
constexpr double remnant_part = 0.1;

bool is_stdout_a_file() {
  struct stat status {};
  return ::fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode);
}

// What the tables say if they are wanted, and the hottest functions.
std::vector<std::string> answer_of(const Profile& profile, const OutputOptions& options, bool wants_tables) {
  std::vector<std::string> lines;
  if (wants_tables && (profile.thread_waits || !profile.duration_tables.empty() || profile.syscalls)) {
    std::stringstream tables;
    find_output_format("table")->make(options).report(tables, profile);
    for (std::string line; std::getline(tables, line);) lines.push_back(std::move(line));
  }
  std::ranges::move(hottest_lines(profile, options.top), std::back_inserter(lines));
  if (std::string programs = program_shares(profile); !programs.empty()) lines.push_back(std::move(programs));
  return lines;
}

// Films are watched on a screen, which is wide.
OutputOptions of_film(OutputOptions options) {
  constexpr unsigned usual_width = 1280;
  constexpr unsigned usual_height = 720;
  if (options.picture.height == 0) options.picture = {.width = usual_width, .height = usual_height};
  options.picture.has_clock = true;
  return options;
}

}  // namespace

std::vector<SinkRequest> request_reports(const ParsedOptions& /*parsed*/, const Options& options) {
  if (options.outputs.empty()) return {};
  const auto make = [](std::size_t event, const SinkNeeds& needs) {
    ReportOptions reports = needs.options.reports(event);
    reports.output.sources = needs.sources;
    return std::make_unique<Reports>(reports, needs.say);
  };
  const auto shows_stacks = [](const OutputRequest& output) { return is_for_stacks(output.format->shows); };
  return {{.make = make, .pace_s = options.interval_s, .stacks = std::ranges::any_of(options.outputs, shows_stacks)}};
}

Reports::Reports(const ReportOptions& options, std::function<void(const std::string&)> say)
    : say_(std::move(say)),
      interval_s_(options.interval_s),
      table_(options.output),
      quiet_(options.quiet),
      apart_(options.apart) {
  // A format that is not available ends the run here, before any file is created.
  std::vector<Output> made;
  for (const OutputRequest& request : options.outputs) {
    Output output = request.format->make(request.is_film ? of_film(options.output) : options.output);
    made.push_back(request.is_gzipped ? gzipped(std::move(output)) : std::move(output));
  }
  for (std::size_t i = 0; i < made.size(); ++i) {
    reports_.push_back(Report{.target = target_of(options.outputs[i], options),
                              .output = std::move(made[i]),
                              .format = options.outputs[i].format,
                              .is_film = options.outputs[i].is_film});
    refuse_same_file();
  }
}

// Compares the last output with those before it: two outputs to the same file would overwrite each other.
void Reports::refuse_same_file() const {
  const auto* last = std::get_if<Destination>(&reports_.back().target);
  if (last == nullptr) return;
  for (std::size_t i = 0; i + 1 < reports_.size(); ++i) {
    const auto* other = std::get_if<Destination>(&reports_[i].target);
    if (other == nullptr || !last->is_same_file(*other)) continue;
    throw Error("-o " + last->path() + ": that is the same file as " + other->path());
  }
}

std::variant<Destination, FileSeries> Reports::target_of(const OutputRequest& request,
                                                         const ReportOptions& options) const {
  if (request.path == "-") return Destination(request.path);
  PathPattern pattern(request.path);
  const Readers readers = readers_of(*request.format, options.output);
  if (!pattern.is_pattern()) return Destination(pattern.expand(0, 0).whole(), readers);
  return FileSeries(std::move(pattern),
                    {.keep = options.keep,
                     .makes_directory = request.makes_directory,
                     .readers = readers,
                     .has_next = interval_s_.has_value()},
                    say_);
}

void Reports::watch(EventLoop& loop) {
  for (Report& report : reports_) {
    const auto* destination = std::get_if<Destination>(&report.target);
    if (destination == nullptr || !destination->is_stdout()) continue;
    loop.add_reader_gone(destination->fd(), [&loop, &report, fd = destination->fd()] {
      report.is_open = false;
      loop.remove(fd);
    });
  }
}

void Reports::begin(const RunInfo& run) {
  for (Report& report : reports_) {
    if (auto* destination = std::get_if<Destination>(&report.target)) {
      append(report, *destination, [&](std::ostream& out) { report.output.begin(out, run); });
    }
  }
}

void Reports::add(const std::shared_ptr<const Profile>& profile, const RunStatus& /*status*/) {
  const bool is_joined = apart_ || profile->run.processes_by_name;
  std::optional<Profile> film;
  if (std::ranges::any_of(reports_, &Report::is_film)) {
    film = *profile;
    leave_out_own_work(*film);
    if (is_joined) film = joined(*film);
    append_wakers(*film);
  }
  const Profile* const of_film = film ? &*film : nullptr;
  is_joined ? write(joined(*profile), of_film) : write(*profile, of_film);
}

Profile Reports::joined(const Profile& profile) const {
  Profile joined;
  joined.run = profile.run;
  if (apart_) joined.apart = *apart_;
  joined.merge(profile);
  if (profile.run.processes_by_name) joined.merge_processes();
  return joined;
}

void Reports::write(const Profile& profile) { write(profile, nullptr); }

void Reports::write(const Profile& profile, const Profile* film) {
  if (wants_hottest()) hottest_ = answer_of(profile, table_, !are_tables_on_stdout());
  const double seconds = to_seconds(profile.duration_ns);
  std::optional<Profile> appended;
  if (has_wakers(profile)) appended = with_wakers_appended(profile);
  const bool is_remnant = interval_s_ && seconds < remnant_part * *interval_s_ && profile.rows().empty();
  for (Report& report : reports_) {
    const bool is_appended = appended && !report.format->keeps_wakers;
    const Profile& shown = report.is_film && film != nullptr ? *film : is_appended ? *appended : profile;
    if (auto* destination = std::get_if<Destination>(&report.target)) {
      append(report, *destination, [&](std::ostream& out) { report.output.report(out, shown); });
    } else if (!is_remnant) {
      // A profile from a file may not know when it was taken.
      const std::uint64_t time_ns =
          profile.began_unix_ns != 0 ? profile.began_unix_ns : monotonic_ns() + unix_offset_ns();
      std::get<FileSeries>(report.target).write(time_ns, [&](std::ostream& out) {
        report.output.begin(out, shown.run);
        report.output.report(out, shown);
      });
    }
  }
}

void Reports::end() {
  for (Report& report : reports_) {
    if (auto* destination = std::get_if<Destination>(&report.target)) {
      attempt(report, [&] { destination->close(); });
    } else {
      std::get<FileSeries>(report.target).close();
    }
  }
}

// Drawing the pictures of a film takes much of a CPU that else has nothing to do. Children that have ended since the
// last picture still have samples in this one.
void Reports::leave_out_own_work(Profile& profile) {
  std::vector<pid_t> own = own_processes();
  own.push_back(::getpid());
  std::vector<pid_t> hidden = std::exchange(own_processes_, own);
  hidden.insert(hidden.end(), own_processes_.begin(), own_processes_.end());
  profile.keep_rows([&](const Row& row) {
    return std::ranges::find(hidden, static_cast<pid_t>(profile.process(row.process).tgid)) == hidden.end();
  });
}

// With intervals each report has its own hottest functions, and the list would be too long to read. Who sends the
// stacks into a file looks at stderr.
bool Reports::wants_hottest() const {
  if (quiet_ || interval_s_) return false;
  if (::isatty(STDERR_FILENO) == 1 && is_stdout_a_file()) return true;
  return std::any_of(reports_.begin(), reports_.end(), [](const Report& report) {
    const auto* destination = std::get_if<Destination>(&report.target);
    if (destination == nullptr || !destination->is_stdout()) return true;
    // A report of tables already shows these functions as its rows.
    return ::isatty(STDOUT_FILENO) == 1 && report.format->shows != Shows::tables;
  });
}

bool Reports::are_tables_on_stdout() const {
  return std::ranges::any_of(reports_, [](const Report& report) {
    const auto* destination = std::get_if<Destination>(&report.target);
    return destination != nullptr && destination->is_stdout() && report.format->shows != Shows::stacks;
  });
}

std::vector<std::string> Reports::answer() const {
  std::vector<std::string> lines = hottest_;
  for (const Report& report : reports_) {
    const auto* destination = std::get_if<Destination>(&report.target);
    if (destination == nullptr) {
      const auto& series = std::get<FileSeries>(report.target);
      if (series.written() != 0) lines.push_back(wrote(series, *report.format));
    } else if (report.is_open && !destination->is_stdout()) {
      lines.push_back(wrote(*destination, *report.format));
    }
  }
  return lines;
}

bool Reports::has_failed() const {
  return has_failed_ || std::any_of(reports_.begin(), reports_.end(), [](const Report& report) {
           const auto* series = std::get_if<FileSeries>(&report.target);
           return series != nullptr && series->lost() != 0;
         });
}

void Reports::append(Report& report, Destination& destination, const std::function<void(std::ostream&)>& print) {
  attempt(report, [&] {
    if (destination.write(print) != Destination::Result::closed_pipe) return;
    report.is_open = false;
    if (!destination.is_stdout()) throw Error("cannot write " + destination.path() + ": its reader has gone away");
  });
}

void Reports::attempt(Report& report, const std::function<void()>& write) {
  if (!report.is_open) return;
  try {
    write();
  } catch (const Error& error) {
    say_(std::string("profile: ") + error.what());
    report.is_open = false;
    has_failed_ = true;
  }
}

}  // namespace profile
