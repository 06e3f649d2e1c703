// The table of sinks: which option asks for which.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/live_views.h"
#include "app/messages.h"
#include "app/options.h"
#include "app/output_options.h"
#include "app/push_sink.h"
#include "app/recording_sink.h"
#include "app/reports.h"
#include "app/sink.h"
#include "app/stream_sink.h"
#include "app/timed_sink.h"

namespace profile {
namespace {

using Say = std::function<void(const std::string&)>;

struct Tools {
  Say say;
  std::shared_ptr<SharedRecording> recording;  // nullptr: none is made
  std::shared_ptr<SharedPush> push;            // nullptr: nothing is pushed
};

// Adds the sinks of one kind to those of each event. The options allow views and streams for a single event only.
struct SinkRow {
  bool (*is_asked_for)(const Options& options);
  void (*add)(std::vector<Sinks>& of_events, const SinkNeeds& needs, const Tools& tools);
};

bool is_recorded(const Options& options) { return !options.recording_path.empty() || options.records_for_page; }

bool is_pushed(const Options& options) { return !options.push.targets.empty(); }

SaveRecording saving_of(const Tools& tools) {
  if (!tools.recording) return {};
  return [recording = tools.recording](double last_s, auto done) { recording->save(last_s, std::move(done)); };
}

std::function<std::vector<PushCounts>()> push_counts_of(const Tools& tools) {
  return [push = tools.push] { return push ? push->counts() : std::vector<PushCounts>(); };
}

// Views first: a report may wait for a disk. The page says where it is before the terminal is taken.
constexpr SinkRow sink_rows[] = {
    {[](const Options& options) { return options.live.has_value(); },
     [](std::vector<Sinks>& of_events, const SinkNeeds& needs, const Tools& tools) {
       of_events.front().add(
           std::make_unique<LivePage>(*needs.options.live, saving_of(tools), push_counts_of(tools), tools.say));
     }},
    {[](const Options& options) { return options.top_view; },
     [](std::vector<Sinks>& of_events, const SinkNeeds& needs, const Tools&) {
       of_events.front().add(std::make_unique<TerminalSink>(needs.messages, needs.on_quit));
     }},
    {[](const Options& options) { return !options.outputs.empty(); },
     [](std::vector<Sinks>& of_events, const SinkNeeds& needs, const Tools& tools) {
       for (std::size_t i = 0; i < of_events.size(); ++i) {
         ReportOptions reports = needs.options.reports(i);
         reports.output.sources = needs.sources;
         of_events[i].add(std::make_unique<Reports>(reports, tools.say));
       }
     }},
    {[](const Options& options) { return options.stream != nullptr; },
     [](std::vector<Sinks>& of_events, const SinkNeeds& needs, const Tools& tools) {
       const Options& options = needs.options;
       of_events.front().add(
           std::make_unique<StreamSink>(options.stream->make(options.output), options.stream_path, tools.say));
     }},
    {[](const Options& options) { return !options.timed_outputs.empty(); },
     [](std::vector<Sinks>& of_events, const SinkNeeds& needs, const Tools& tools) {
       for (std::size_t i = 0; i < of_events.size(); ++i) {
         for (OutputRequest output : needs.options.timed_outputs) {
           if (of_events.size() > 1) output.path = path_of_event(output.path, needs.options.events[i].name);
           of_events[i].add(std::make_unique<TimedSink>(output, needs.options.output, needs.facts, tools.say));
         }
       }
     }},
    {is_pushed,
     [](std::vector<Sinks>& of_events, const SinkNeeds&, const Tools& tools) {
       for (std::size_t i = 0; i < of_events.size(); ++i) of_events[i].add(std::make_unique<PushSink>(tools.push, i));
     }},
    {is_recorded,
     [](std::vector<Sinks>& of_events, const SinkNeeds&, const Tools& tools) {
       for (std::size_t i = 0; i < of_events.size(); ++i) {
         of_events[i].add(std::make_unique<RecordingSink>(tools.recording, i));
       }
     }},
};

}  // namespace

void Sinks::add(std::unique_ptr<ProfileSink> sink) {
  of_profiles.push_back(sink.get());
  all.push_back(std::move(sink));
}

void Sinks::add(std::unique_ptr<SampleSink> sink) {
  of_samples.push_back(sink.get());
  all.push_back(std::move(sink));
}

std::vector<Sinks> make_sinks(const SinkNeeds& needs) {
  const Options& options = needs.options;
  std::vector<Sinks> of_events(options.events.size());
  Tools tools{.say = [&messages = needs.messages](const std::string& text) { messages.say(text); },
              .recording = {},
              .push = {}};
  if (is_pushed(options)) {
    tools.push =
        std::make_shared<SharedPush>(options.push, options.interval_s, options.events.size(), needs.facts, tools.say);
  }
  if (is_recorded(options)) {
    tools.recording = std::make_shared<SharedRecording>(options.recording_path, options.recording_limits,
                                                        options.events.size(), needs.facts, tools.say);
  }
  for (const SinkRow& row : sink_rows) {
    if (row.is_asked_for(options)) row.add(of_events, needs, tools);
  }
  return of_events;
}

}  // namespace profile
