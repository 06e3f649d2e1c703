// The file format of https://www.speedscope.app with the samples of each thread in the order of time. A sample there is
// as long as its weight and has no time of its own, so a part without a stack fills the time in which a thread was not
// sampled. Values that are no time have no such parts. A profile there has one unit, so each event of a thread is one.
#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "output/header.h"
#include "output/json_writer.h"
#include "output/lane_stacks.h"
#include "output/shown_frame.h"
#include "output/timed.h"

namespace profile {
namespace {

class TimedSpeedscope final : public TimedOutput {
 public:
  void begin(std::ostream& /*out*/, const TimedRun& run) override { run_ = run; }
  void append(std::ostream& out, const Profile& profile, const Sample& sample) override;
  void forget() override { stacks_.forget(); }
  void end(std::ostream& out, std::uint64_t ended_ns) override;

 private:
  struct Piece {
    std::uint64_t begin_ns = 0;  // since the run began; of values that are no time, its place in the order
    std::uint64_t length = 0;    // in nanoseconds or in the run's unit
    std::uint32_t stack = 0;
  };
  struct Thread {
    std::uint32_t event = 0;
    std::string name;
    std::vector<Piece> pieces;
  };

  using ThreadKey = std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>;  // event; tgid and program; tid

  void write_frames(JsonWriter& json) const;
  void write_thread(JsonWriter& json, Thread& thread);
  void write_stack(JsonWriter& json, std::uint32_t stack);

  TimedRun run_;
  LaneStacks stacks_;
  std::map<ThreadKey, Thread> threads_;
  std::vector<std::uint32_t> path_;
};

// In nanoseconds; 0: the values are no time.
std::uint64_t length_of_value(const RunInfo& run) {
  if (const std::uint64_t period_ns = ns_per_sample(run); period_ns != 0) return period_ns;
  return has_spans(run) ? ns_of_span_unit(run) : 0;
}

void TimedSpeedscope::append(std::ostream& /*out*/, const Profile& profile, const Sample& sample) {
  const Process& process = profile.process(sample.row.process);
  const RunInfo& run = run_.events[sample.event];
  Thread& thread = threads_[{sample.event, std::uint64_t{process.tgid} << 32 | process.image, sample.row.tid}];
  thread.event = sample.event;
  thread.name = clean_name(profile.strings.view(process.name));
  append_pid(thread.name, process.tgid);
  thread.name.append(", ").append(clean_name(profile.strings.view(sample.row.thread_name)));
  append_pid(thread.name, sample.row.tid);
  const std::uint64_t time_ns = sample.time_ns - std::min(sample.time_ns, run_.began_ns);
  Piece piece{.begin_ns = time_ns, .length = sample.row.value, .stack = stacks_.stack_of(run, profile, sample.row)};
  if (const std::uint64_t length_ns = length_of_value(run); length_ns != 0) {
    piece.length *= length_ns;
    piece.begin_ns -= std::min(piece.begin_ns, piece.length);
  }
  thread.pieces.push_back(piece);
}

void TimedSpeedscope::end(std::ostream& out, std::uint64_t ended_ns) {
  JsonWriter json(out);
  json.begin_object();
  json.member("$schema", "https://www.speedscope.app/file-format-schema.json");
  json.member("exporter", "profile");
  json.member("name", title_of(run_, ended_ns - std::min(ended_ns, run_.began_ns)));
  json.member("activeProfileIndex", 0);
  json.begin_object("shared");
  write_frames(json);
  json.end_object();
  std::vector<Thread*> busiest;
  for (auto& [key, thread] : threads_) busiest.push_back(&thread);
  std::ranges::stable_sort(busiest, [](const Thread* a, const Thread* b) {
    return a->event != b->event ? a->event < b->event : a->pieces.size() > b->pieces.size();
  });
  json.begin_array("profiles");
  for (Thread* const thread : busiest) write_thread(json, *thread);
  json.end_array();
  json.end_object();
  json.end_document();
}

void TimedSpeedscope::write_frames(JsonWriter& json) const {
  json.begin_array("frames");
  for (const LaneFunction& function : stacks_.functions()) {
    const bool has_source = function.source != StringId::empty;
    const std::string_view file = stacks_.text(has_source ? function.source : function.module);
    json.begin_object();
    json.member("name", stacks_.text(function.name));
    if (!file.empty()) json.member("file", file);
    if (has_source && function.line != 0) json.member("line", function.line);
    json.end_object();
  }
  json.end_array();
}

void TimedSpeedscope::write_thread(JsonWriter& json, Thread& thread) {
  std::ranges::stable_sort(thread.pieces, {}, &Piece::begin_ns);
  json.begin_object();
  json.member("type", "sampled");
  const RunInfo& run = run_.events[thread.event];
  const bool is_time = length_of_value(run) != 0;
  std::string name = thread.name;
  if (run_.events.size() > 1) name += ", " + clean_text(run.event);
  if (!is_time && run.unit != Unit::bytes) name += ", " + run.unit.word();
  json.member("name", name);
  json.member("unit", is_time ? "nanoseconds" : run.unit == Unit::bytes ? "bytes" : "none");
  std::vector<std::uint64_t> weights;
  std::uint64_t end = 0;  // of what is written
  const auto add = [&](std::uint32_t stack, std::uint64_t length) {
    write_stack(json, stack);
    weights.push_back(length);
    end += length;
  };
  json.begin_array("samples");
  for (const Piece& piece : thread.pieces) {
    if (is_time && piece.begin_ns > end) add(0, piece.begin_ns - end);
    add(piece.stack, piece.length);
  }
  json.end_array();
  json.array("weights", weights);
  json.member("startValue", 0);
  json.member("endValue", end);
  json.end_object();
}

void TimedSpeedscope::write_stack(JsonWriter& json, std::uint32_t stack) {
  path_.clear();
  for (; stack != 0; stack = stacks_.nodes()[stack].caller) path_.push_back(stacks_.nodes()[stack].function);
  json.begin_array();
  for (auto function = path_.rbegin(); function != path_.rend(); ++function) json.value(*function);
  json.end_array();
}

}  // namespace

std::unique_ptr<TimedOutput> make_timed_speedscope(const OutputOptions& /*options*/) {
  return std::make_unique<TimedSpeedscope>();
}

}  // namespace profile
