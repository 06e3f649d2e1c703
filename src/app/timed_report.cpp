#include "app/timed_report.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "app/timed_file.h"
#include "recording/recording.h"
#include "support/error.h"
#include "support/module.h"

namespace profile {

std::vector<OutputRequest> take_timed(std::vector<OutputRequest>& outputs, const std::vector<std::string>& paths) {
  const bool is_recording = paths.size() == 1 && is_recording_file(paths.front());
  const auto has_times = [&](const OutputRequest& output) {
    return is_recording && output.format->make_timed != nullptr;
  };
  const auto rest = std::stable_partition(outputs.begin(), outputs.end(), has_times);
  std::vector<OutputRequest> timed(outputs.begin(), rest);
  outputs.erase(outputs.begin(), rest);
  for (const OutputRequest& output : outputs) {
    if (!needs_times(*output.format)) continue;
    throw Error("report: the format " + std::string(output.format->name) + " needs the time of each sample: " +
                (paths.size() > 1 ? "one recording, and not several files" : paths.front() + " is no recording"));
  }
  return timed;
}

std::vector<std::string> write_timed(const TimedReport& report, const std::string& path, const ReadRequest& request,
                                     const FrameEdits& edits) {
  std::vector<std::unique_ptr<TimedFile>> files;
  for (const OutputRequest& output : report.outputs) {
    files.push_back(std::make_unique<TimedFile>(output, report.options));
  }
  std::optional<std::uint64_t> began_ns;  // by the clock of the samples
  const auto begin = [&](const Profile& profile, std::uint64_t at_ns) {
    began_ns = at_ns;
    TimedRun run{.events = {profile.run}, .began_ns = at_ns, .began_unix_ns = profile.began_unix_ns};
    run.events.front().command_line = report.command_line;
    run.events.insert(run.events.end(), profile.other_events.begin(), profile.other_events.end());
    for (const auto& file : files) file->begin(run);
  };
  ReadRequest of_all = request;
  of_all.all_events = true;
  std::optional<SampleEdits> sample_edits;
  const Profile read = load_module<RecordingModule>().read(path, of_all, [&](Profile& profile, const Sample& recorded) {
    if (!began_ns) {
      if (report.has_lines) profile.run.frames_by_line = true;
      sample_edits.emplace(edits, profile);
      begin(profile, recorded.time_ns - (recorded.unix_ns - profile.began_unix_ns));
    }
    Sample sample = recorded;
    if (!sample_edits->apply(sample.row)) return;
    for (const auto& file : files) file->add(profile, sample);
  });
  if (!began_ns) begin(read, 0);
  std::vector<std::string> lines;
  for (const auto& file : files) {
    file->end(*began_ns + read.duration_ns);
    if (std::string line = file->answer(); !line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace profile
