// The sink that writes reports. It has all outputs: for each the open destination or series of files, and the format.
// If one output cannot be written, the others continue.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/report_options.h"
#include "app/sink.h"
#include "files/destination.h"
#include "files/file_series.h"

namespace profile {

class Reports : public ProfileSink {
 public:
  // Opens all outputs. Throws Error when one cannot be opened. `say` prints a line for the user.
  Reports(const ReportOptions& options, std::function<void(const std::string&)> say);

  // Makes `loop` notice that the reader of stdout has gone, also while nothing is written for a long time.
  void watch(EventLoop& loop) override;
  void begin(const RunInfo& run) override;
  // Writes a report of it.
  void add(const std::shared_ptr<const Profile>& profile, const RunStatus& status) override;
  void end() override;
  // Whether any output is left to write to.
  [[nodiscard]] bool is_open() const override { return std::ranges::any_of(reports_, &Report::is_open); }
  // The hottest functions are printed also when nothing could be written.
  [[nodiscard]] bool wants_more() const override { return is_open() || wants_hottest(); }
  [[nodiscard]] bool has_failed() const override;

  // Writes a report of this profile alone.
  void write(const Profile& profile);
  // Lines for the user after end(): the hottest functions if the run has one report only, and the written files. The
  // functions are left out if the only report is on stdout, unless stdout is a terminal, where it has scrolled away.
  [[nodiscard]] std::vector<std::string> answer() const override;

 private:
  struct Report {
    std::variant<Destination, FileSeries> target;
    Output output;
    const OutputFormat* format = nullptr;
    bool is_film = false;
    bool is_open = true;  // false once a destination could not be written, or its reader has gone
  };

  [[nodiscard]] std::variant<Destination, FileSeries> target_of(const OutputRequest& request,
                                                                const ReportOptions& options) const;
  void refuse_same_file() const;
  [[nodiscard]] bool wants_hottest() const;
  // The profile with the rows that reports keep apart.
  [[nodiscard]] Profile joined(const Profile& profile) const;
  void leave_out_own_work(Profile& profile);
  void write(const Profile& profile, const Profile* film);
  void append(Report& report, Destination& destination, const std::function<void(std::ostream&)>& print);
  void attempt(Report& report, const std::function<void()>& write);

  std::function<void(const std::string&)> say_;
  std::optional<double> interval_s_;
  std::vector<Report> reports_;
  OutputOptions table_;  // of the tables in the answer
  bool quiet_;
  std::optional<RowsApart> apart_;
  std::vector<std::string> hottest_;
  bool has_failed_ = false;
  std::vector<pid_t> own_processes_;  // of the profiler, at the last picture of a film
};

}  // namespace profile
