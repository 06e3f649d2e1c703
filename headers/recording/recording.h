// A recording: every sample of a run with its time, in an SQLite file. `profile record` makes one, and `report` reads a
// part of it as often as one likes. The tables are described in man/profile.1 and src/recording/schema.h. SQLite's
// library is large, so the room is a module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/profile_reader.h"
#include "model/account.h"
#include "model/profile.h"
#include "model/sample.h"

namespace profile {

// How often what was recorded is committed, in seconds: a crash or a power cut loses at most the last tick.
inline constexpr double recording_tick_s = 1;

struct RecordingLimits {
  std::uint64_t max_bytes = 0;  // the oldest ticks go when the file has more; 0: no limit
  double keep_s = 0;            // the oldest ticks go when they are older, in seconds; 0: no limit
};

// An event of the run, and the header of a report of it.
struct RecordedEvent {
  RunInfo run;
  std::string headline;
};

// What is known of a process besides its name. Times are Unix times in nanoseconds; 0: unknown.
struct ProcessFacts {
  std::uint64_t began_ns = 0;
  std::uint64_t ended_ns = 0;
  std::string cgroup;  // its path; empty: unknown
  // The cgroup of the nearest of its ancestors that runs, if the process itself has ended. Few processes change theirs.
  std::string inherited_cgroup;
  // Empty: unknown, or not asked for. If it is set, it is the name in the profile, and `comm` is the short one.
  std::string command_line;
  std::string comm;
};
// Tells the facts of the `image`-th program of `tgid`; of one that is not new, only its times. It is called on the
// thread that calls SampleRecorder::add() and commit().
using AskFacts = std::function<ProcessFacts(std::uint32_t tgid, std::uint32_t image, bool is_new)>;

using SavedRecording = std::function<void(std::string bytes)>;

// Writes a recording. The database is written by a thread of its own, because a disk may take long: no function but
// finish() waits for it.
class SampleRecorder {
 public:
  virtual ~SampleRecorder() = default;

  // There is at least one event. `began_ns`: when sampling began (CLOCK_MONOTONIC).
  virtual void begin(const std::vector<RecordedEvent>& events, std::uint64_t began_ns, AskFacts facts) = 0;
  // As SampleSink::add(), of the event with that index.
  virtual void add(std::size_t event, const std::shared_ptr<const Profile>& profile,
                   const std::vector<Sample>& samples) = 0;
  // The end of a tick. `accounts` are those of all samples since the beginning, one for each event.
  virtual void commit(const std::vector<Account>& accounts) = 0;
  // The run lasted until `ended_ns` (CLOCK_MONOTONIC). Waits until all is written and the file is complete.
  virtual void finish(const std::vector<Account>& accounts, std::uint64_t ended_ns) = 0;

  // How many samples were added that are not in the file yet.
  [[nodiscard]] virtual std::size_t behind() const = 0;
  // How many samples will never be in it: after an error.
  [[nodiscard]] virtual std::uint64_t lost() const = 0;
  // Why nothing can be written any more; nullopt: all is well. What was committed before is in the file.
  [[nodiscard]] virtual std::optional<std::string> error() const = 0;
  // Makes a recording of its own of the last `last_s` seconds, as far as they are there, and calls `done` with the
  // bytes of that file; they are empty if it cannot be made. Any thread may call it; another one calls `done`.
  virtual void save(double last_s, SavedRecording done) = 0;
  // The size of the file in bytes, and the number of samples that were removed because of the limits.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
  [[nodiscard]] virtual std::uint64_t removed() const = 0;
};

// Makes the file, or takes the place of a recording that nobody writes. It belongs to the caller, as all outputs, and
// is only for its owner. If `path` is empty, the recording is kept in memory. Throws Error if the file cannot be made
// or is another kind of file, and if a recorder writes it.
std::unique_ptr<SampleRecorder> make_recorder(const std::string& path, const RecordingLimits& limits);

// Reads the samples that `request` asks for, in the order of time. `on_sample`: called for each one instead of adding a
// row for it; needed for those of several events, which Sample::event tells apart. The profile has the names of its
// stacks, as for a sink (SampleSink::add). Throws Error if the file is no recording, is damaged, or does not have what
// is asked for.
using OnRecordedSample = std::function<void(Profile& profile, const Sample& sample)>;
Profile read_recording(const std::string& path, const ReadRequest& request, const OnRecordedSample& on_sample);

// Whether these first bytes of a file are of an SQLite database.
[[nodiscard]] inline bool is_database(std::string_view start) {
  return start.starts_with(std::string_view("SQLite format 3\0", 16));
}

// The interface of the module (support/module.h).
struct RecordingModule {
  static constexpr std::string_view module = "recording";
  decltype(&make_recorder) make;
  decltype(&read_recording) read;
};

}  // namespace profile
