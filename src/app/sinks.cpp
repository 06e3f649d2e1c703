// The table of sinks: which option asks for which.
#include <string>
#include <utility>

#include "app/live_views.h"
#include "app/messages.h"
#include "app/options.h"
#include "app/recording_sink.h"
#include "app/reports.h"
#include "app/sink.h"
#include "app/stream_sink.h"
#include "app/timed_sink.h"

namespace profile {
namespace {

struct SinkNeeds {
  const Options& options;
  Messages& messages;
  const std::function<void(const std::string&)>& say;
  const std::function<void()>& on_quit;
  const AskFacts& facts;
};

struct SinkRow {
  bool (*is_asked_for)(const Options& options);
  void (*add)(Sinks& sinks, const SinkNeeds& of);
};

// Views first: a report may wait for a disk. The page says where it is before the terminal is taken.
constexpr SinkRow sink_rows[] = {
    {[](const Options& options) { return options.live.has_value(); },
     [](Sinks& sinks, const SinkNeeds& of) { sinks.add(std::make_unique<LivePage>(*of.options.live, of.say)); }},
    {[](const Options& options) { return options.top_view; },
     [](Sinks& sinks, const SinkNeeds& of) { sinks.add(std::make_unique<TerminalSink>(of.messages, of.on_quit)); }},
    {[](const Options& options) { return !options.outputs.empty(); },
     [](Sinks& sinks, const SinkNeeds& of) { sinks.add(std::make_unique<Reports>(of.options.reports(), of.say)); }},
    {[](const Options& options) { return options.stream != nullptr; },
     [](Sinks& sinks, const SinkNeeds& of) {
       sinks.add(
           std::make_unique<StreamSink>(of.options.stream->make(of.options.output), of.options.stream_path, of.say));
     }},
    {[](const Options& options) { return !options.timed_outputs.empty(); },
     [](Sinks& sinks, const SinkNeeds& of) {
       for (const OutputRequest& output : of.options.timed_outputs) {
         sinks.add(std::make_unique<TimedSink>(output, of.options.output, of.facts, of.say));
       }
     }},
    {[](const Options& options) { return !options.recording_path.empty(); },
     [](Sinks& sinks, const SinkNeeds& of) {
       sinks.add(
           std::make_unique<RecordingSink>(of.options.recording_path, of.options.recording_limits, of.facts, of.say));
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

Sinks make_sinks(const Options& options, Messages& messages, const std::function<void()>& on_quit,
                 const AskFacts& facts) {
  const std::function<void(const std::string&)> say = [&messages](const std::string& text) { messages.say(text); };
  Sinks sinks;
  for (const SinkRow& row : sink_rows) {
    if (row.is_asked_for(options)) row.add(sinks, {options, messages, say, on_quit, facts});
  }
  return sinks;
}

}  // namespace profile
