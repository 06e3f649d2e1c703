// THE table of sinks.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "app/options.h"
#include "app/parsed_options.h"
#include "app/push_sink.h"
#include "app/recording_sink.h"
#include "app/sink.h"

namespace profile {

// Each function is in the file of its sink, and says which such sinks the options ask for. A sink is only that file and
// its row in the table.
using RequestedSinks = std::vector<SinkRequest>(const ParsedOptions& parsed, const Options& options);
RequestedSinks request_live_page;
RequestedSinks request_top_view;
RequestedSinks request_reports;
RequestedSinks request_stream;
RequestedSinks request_timed;
RequestedSinks request_push;
RequestedSinks request_recording;

namespace {

// Views first: a report may wait for a disk. The page says where it is before the terminal is taken.
constexpr RequestedSinks* sink_rows[] = {request_live_page, request_top_view, request_reports,  request_stream,
                                         request_timed,     request_push,     request_recording};

void add(Sinks& sinks, const SinkRequest& request, std::size_t event, const SinkNeeds& needs) {
  if (const auto* const make = std::get_if<MakeProfileSink>(&request.make)) {
    auto sink = (*make)(event, needs);
    sinks.of_profiles.push_back({.sink = sink.get(), .pace_s = request.pace_s});
    sinks.all.push_back(std::move(sink));
  } else {
    auto sink = std::get<MakeSampleSink>(request.make)(event, needs);
    sinks.of_samples.push_back(sink.get());
    sinks.all.push_back(std::move(sink));
  }
}

}  // namespace

std::vector<SinkRequest> requested_sinks(const ParsedOptions& parsed, const Options& options) {
  std::vector<SinkRequest> requests;
  for (RequestedSinks* const row : sink_rows) std::ranges::move(row(parsed, options), std::back_inserter(requests));
  return requests;
}

std::vector<Sinks> make_sinks(SinkNeeds needs) {
  const Options& options = needs.options;
  std::vector<Sinks> of_events(options.events.size());
  if (options.is_pushed()) {
    needs.push = std::make_shared<SharedPush>(options.push, options.events.size(), needs.facts, needs.say);
  }
  if (options.is_recorded()) {
    needs.recording = std::make_shared<SharedRecording>(options.recording_path, options.recording_limits,
                                                        options.events.size(), needs.facts, needs.say);
  }
  for (const SinkRequest& request : options.sinks) {
    for (std::size_t event = 0; event < of_events.size(); ++event) add(of_events[event], request, event, needs);
  }
  return of_events;
}

}  // namespace profile
