// The interfaces of what receives the results of a run: profiles, as the reports and the views do, or each sample, as
// the stream does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/listing.h"
#include "model/profile.h"
#include "model/sample.h"
#include "recording/recording.h"
#include "sampling/source.h"
#include "support/event_loop.h"

namespace profile {

class Messages;
class ParsedOptions;
class SharedPush;
class SharedRecording;
struct Options;

class Sink {
 public:
  virtual ~Sink() = default;

  // Called when all else is ready, before the first sample: makes what must not stay behind if something else fails.
  // Throws Error.
  virtual void prepare() {}
  // Called when nothing can prevent the run from sampling any more. Only from here on a sink knows the run, and shows
  // anything of it.
  virtual void begin(const RunInfo& run) = 0;
  // Called after begin(): adds to `loop` what this sink waits for. `loop` must not run after this object is destroyed.
  virtual void watch(EventLoop& /*loop*/) {}
  // The run is over; the last profile or sample was added. Waits a little for what takes samples.
  virtual void end() = 0;

  // Whether anything is left that receives what is added.
  [[nodiscard]] virtual bool is_open() const = 0;
  // Whether something could not be written. A reader that went away does not count.
  [[nodiscard]] virtual bool has_failed() const { return false; }
  // Lines for the user after end().
  [[nodiscard]] virtual std::vector<std::string> answer() const { return {}; }

  // The terminal may have another size now.
  virtual void on_resize() {}
  // The user need not see the run any more, which may go on: a sink that took the terminal restores it.
  virtual void give_terminal_back() {}
};

// Since the start of the run.
struct RunStatus {
  const Account& account;
  BpfCost cost;
};

class ProfileSink : public Sink {
 public:
  // `profile` holds the samples since the last call, named. It does not change afterwards.
  virtual void add(const std::shared_ptr<const Profile>& profile, const RunStatus& status) = 0;
  // Whether it has a use for more profiles, also while none is left that receives them.
  [[nodiscard]] virtual bool wants_more() const { return is_open(); }
};

class SampleSink : public Sink {
 public:
  // Takes samples in the order of time, named, with the stacks that are shown. Their ids belong to `profile`, in which
  // an id of a stack always means the same stack. More is added to the profile later, and after some time another one
  // follows.
  virtual void add(const std::shared_ptr<const Profile>& profile, const std::vector<Sample>& samples) = 0;
  // `account` is that of all samples of the run until `until_ns` (CLOCK_MONOTONIC). Called now and then, and before
  // end().
  virtual void note_account(const Account& /*account*/, std::uint64_t /*until_ns*/) {}
  // How many samples were added that could not be passed on yet. While there are some, the next ones had better wait in
  // the kernel's ring, where no memory grows.
  [[nodiscard]] virtual std::size_t behind() const { return 0; }
  // How many samples were added that will never be passed on, because what takes them is too slow.
  [[nodiscard]] virtual std::uint64_t lost() const { return 0; }
};

// What the sinks of a run are made from. All must outlive them.
struct SinkNeeds {
  const Options& options;
  Messages& messages;
  std::function<void(const std::string&)> say;  // prints a line for the user
  std::function<void()> on_quit;                // called when the user quits a view
  AskFacts facts;
  std::function<SourceListings(const Profile&)> sources;  // as OutputOptions::sources
  // What the sinks of all events share. nullptr: no such sink is asked for. make_sinks() sets them.
  std::shared_ptr<SharedRecording> recording;
  std::shared_ptr<SharedPush> push;
};

using MakeProfileSink = std::function<std::unique_ptr<ProfileSink>(std::size_t event, const SinkNeeds& needs)>;
using MakeSampleSink = std::function<std::unique_ptr<SampleSink>(std::size_t event, const SinkNeeds& needs)>;

// A sink that the options ask for, and what it wants of the run.
struct SinkRequest {
  // Called once for each event. Throws Error. Which of the two it is says what the run collects: rows, or each sample.
  std::variant<MakeProfileSink, MakeSampleSink> make;
  // How often it wants a profile, in seconds. nullopt: only one, at the end. The last profile always comes at the end.
  std::optional<double> pace_s = std::nullopt;
  bool stacks = true;     // false: it shows none
  bool apart = false;     // its rows are apart by thread and by CPU, whatever the user asks for
  std::string name = {};  // of a sink of samples, for messages: "a recording"

  [[nodiscard]] bool takes_samples() const { return std::holds_alternative<MakeSampleSink>(make); }
  [[nodiscard]] bool takes_profiles() const { return !takes_samples(); }
  [[nodiscard]] bool is_served_during_run() const { return takes_samples() || pace_s.has_value(); }
};
// What the options ask for. `options` has all but `sinks`, and what depends on it. Throws a usage Error.
[[nodiscard]] std::vector<SinkRequest> requested_sinks(const ParsedOptions& parsed, const Options& options);

// The sinks of one event.
struct Sinks {
  struct OfProfiles {
    ProfileSink* sink = nullptr;
    std::optional<double> pace_s;
  };

  std::vector<std::unique_ptr<Sink>> all;  // in the order in which they get what is added
  // The same by kind.
  std::vector<OfProfiles> of_profiles;
  std::vector<SampleSink*> of_samples;
};
// Makes those of Options::sinks, for each event. Throws Error when an output cannot be opened or a module is missing.
[[nodiscard]] std::vector<Sinks> make_sinks(SinkNeeds needs);

}  // namespace profile
