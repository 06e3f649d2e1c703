#include "app/reports.h"

#include <algorithm>
#include <ostream>

#include "support/error.h"

namespace profile {

Reports::Reports(const Options& options, std::function<void(const std::string&)> say) : say_(std::move(say)) {
  for (const OutputRequest& request : options.outputs) {
    reports_.push_back(
        Report{.destination = Destination(request.path), .output = request.format->make(options.output)});
  }
}

void Reports::begin(const RunInfo& run) {
  write_all([&](Report& report, std::ostream& out) { report.output->begin(out, run); });
}

void Reports::report(const Profile& profile) {
  write_all([&](Report& report, std::ostream& out) { report.output->report(out, profile); });
}

void Reports::close() {
  for (Report& report : reports_) {
    attempt(report, [&] { report.destination.close(); });
  }
}

bool Reports::any_open() const {
  return std::any_of(reports_.begin(), reports_.end(), [](const Report& report) { return report.is_open; });
}

void Reports::write_all(const std::function<void(Report&, std::ostream&)>& print) {
  for (Report& report : reports_) {
    attempt(report, [&] {
      const auto result = report.destination.write([&](std::ostream& out) { print(report, out); });
      if (result == Destination::Result::closed_pipe) report.is_open = false;
    });
  }
}

void Reports::attempt(Report& report, const std::function<void()>& write) {
  if (!report.is_open) return;
  try {
    write();
  } catch (const Error& error) {
    say_(std::string("profile: ") + error.what());
    report.is_open = false;
    have_failed_ = true;
  }
}

}  // namespace profile
