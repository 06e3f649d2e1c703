// The table of sinks: which option asks for which.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/live_views.h"
#include "app/messages.h"
#include "app/options.h"
#include "app/output_options.h"
#include "app/recording_sink.h"
#include "app/reports.h"
#include "app/sink.h"
#include "app/stream_sink.h"
#include "app/timed_sink.h"

namespace profile {
namespace {

using Say = std::function<void(const std::string&)>;

// Adds the sinks of one kind to those of each event. The options allow views and streams for a single event only.
struct SinkRow {
  bool (*is_asked_for)(const Options& options);
  void (*add)(std::vector<Sinks>& of_events, const SinkNeeds& needs, const Say& say);
};

void add_recording(std::vector<Sinks>& of_events, const SinkNeeds& needs, const Say& say) {
  const auto recording = std::make_shared<SharedRecording>(needs.options.recording_path, needs.options.recording_limits,
                                                           of_events.size(), needs.facts, say);
  for (std::size_t i = 0; i < of_events.size(); ++i) of_events[i].add(std::make_unique<RecordingSink>(recording, i));
}

// Views first: a report may wait for a disk. The page says where it is before the terminal is taken.
constexpr SinkRow sink_rows[] = {
    {[](const Options& options) { return options.live.has_value(); },
     [](std::vector<Sinks>& of_events, const SinkNeeds& needs, const Say& say) {
       of_events.front().add(std::make_unique<LivePage>(*needs.options.live, say));
     }},
    {[](const Options& options) { return options.top_view; },
     [](std::vector<Sinks>& of_events, const SinkNeeds& needs, const Say&) {
       of_events.front().add(std::make_unique<TerminalSink>(needs.messages, needs.on_quit));
     }},
    {[](const Options& options) { return !options.outputs.empty(); },
     [](std::vector<Sinks>& of_events, const SinkNeeds& needs, const Say& say) {
       for (std::size_t i = 0; i < of_events.size(); ++i) {
         ReportOptions reports = needs.options.reports(i);
         reports.output.sources = needs.sources;
         of_events[i].add(std::make_unique<Reports>(reports, say));
       }
     }},
    {[](const Options& options) { return options.stream != nullptr; },
     [](std::vector<Sinks>& of_events, const SinkNeeds& needs, const Say& say) {
       const Options& options = needs.options;
       of_events.front().add(
           std::make_unique<StreamSink>(options.stream->make(options.output), options.stream_path, say));
     }},
    {[](const Options& options) { return !options.timed_outputs.empty(); },
     [](std::vector<Sinks>& of_events, const SinkNeeds& needs, const Say& say) {
       for (std::size_t i = 0; i < of_events.size(); ++i) {
         for (OutputRequest output : needs.options.timed_outputs) {
           if (of_events.size() > 1) output.path = path_of_event(output.path, needs.options.events[i].name);
           of_events[i].add(std::make_unique<TimedSink>(output, needs.options.output, needs.facts, say));
         }
       }
     }},
    {[](const Options& options) { return !options.recording_path.empty(); }, add_recording},
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
  const Say say = [&messages = needs.messages](const std::string& text) { messages.say(text); };
  std::vector<Sinks> of_events(needs.options.events.size());
  for (const SinkRow& row : sink_rows) {
    if (row.is_asked_for(needs.options)) row.add(of_events, needs, say);
  }
  return of_events;
}

}  // namespace profile
