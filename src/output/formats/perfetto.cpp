// A trace of https://perfetto.dev (protos/perfetto/trace/trace_packet.proto), which is a protocol buffer of packets. It
// is written packet by packet. A sample is a PerfSample; a span is a slice on the track of its thread, with the stack
// at its end; the values of a unit that is neither samples nor time are also a counter of the process.
//
// Texts, frames and stacks have numbers, and are written before their first use. When the profile changes, all numbers
// begin anew, so that a long run does not grow. The packets of an event are a sequence of their own, because that is
// what readers tell kinds of samples apart by; the numbers are those of a sequence.
#include <protozero/pbf_builder.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <ostream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/perf_script_words.h"
#include "model/perfetto_format.h"
#include "output/header.h"
#include "output/lane_stacks.h"
#include "output/process_numbers.h"
#include "output/timed.h"

namespace profile {
namespace {

class Perfetto final : public TimedOutput {
 public:
  void begin(std::ostream& out, const TimedRun& run) override;
  void append(std::ostream& out, const Profile& profile, const Sample& sample) override;
  void forget() override {
    stacks_.clear();
    for (Sequence& sequence : sequences_) sequence = {.name = std::move(sequence.name)};
  }
  void end(std::ostream& out, std::uint64_t ended_ns) override;

 private:
  // The place of one thread's spans. Slices of one track nest, so spans that overlap need several tracks.
  struct Lane {
    std::uint64_t track = 0;
    std::uint32_t event = 0;
    std::uint64_t end_ns = 0;  // of its last span
  };
  struct Counter {
    std::uint64_t track = 0;  // 0: it has none yet
    std::uint64_t count = 0;
  };
  struct ProcessTrack {
    std::uint64_t track = 0;
    std::uint32_t image = 0;
    std::map<std::uint32_t, Counter> counters = {};  // by event
  };
  struct ThreadTrack {
    std::uint32_t image = 0;
    StringId name = StringId::empty;  // in names_
    std::vector<Lane> lanes;          // the first is the thread's own track
  };
  // What a text is of. The numbers of each kind are apart.
  enum class TextKind : std::uint8_t { function, path, build_id, source, count };
  using Mapping = std::tuple<StringId, StringId, CodeSegment>;  // path, build id
  using Packet = protozero::pbf_builder<perfetto::PacketField>;
  using Interned = protozero::pbf_builder<perfetto::InternedField>;
  struct Sequence {
    std::string name;  // of the event
    bool is_state_clear = true;
    std::array<std::vector<bool>, static_cast<std::size_t>(TextKind::count)> texts_written = {};
    std::size_t functions_written = 0;
    std::map<Mapping, std::uint64_t> mapping_numbers = {};
    std::vector<bool> stacks_written = {};
  };

  // Writes one packet of the current event. `fill` gets its builder.
  template <class Fill>
  void packet(std::ostream& out, const Fill& fill);
  [[nodiscard]] std::uint64_t trace_time(std::uint64_t time_ns) const {
    return run_.began_unix_ns + (time_ns - std::min(time_ns, run_.began_ns));
  }

  [[nodiscard]] const RunInfo& run() const { return run_.events[event_]; }
  [[nodiscard]] Sequence& sequence() { return sequences_[event_]; }

  ThreadTrack& thread_of(std::ostream& out, const Profile& profile, const Sample& sample);
  void describe_process(std::ostream& out, const Profile& profile, const Sample& sample, ProcessTrack& process);
  void describe_thread(std::ostream& out, const Profile& profile, const Sample& sample, const ThreadTrack& thread,
                       std::uint64_t process_track);
  void note_change(std::ostream& out, const Profile& profile, const Sample& sample, ThreadTrack& thread);
  void append_span(std::ostream& out, const Profile& profile, const Sample& sample, ThreadTrack& thread,
                   std::uint32_t stack);
  Lane& lane_for(std::ostream& out, ThreadTrack& thread, std::uint64_t begin_ns);
  void append_sample(std::ostream& out, const Profile& profile, const Sample& sample, std::uint32_t stack);
  void append_count(std::ostream& out, const Profile& profile, const Sample& sample);

  void intern_stack(Packet& packet, std::uint32_t stack);
  void intern_function(Interned& interned, const LaneFunction& function);
  std::uint64_t intern_text(Interned& interned, TextKind kind, StringId id);
  std::uint64_t intern_mapping(Interned& interned, const LaneFunction& function);

  TimedRun run_;
  std::uint32_t event_ = 0;  // of the sample that is being written
  // Whose spans are on the thread's own track; those of the others have tracks below it.
  std::uint32_t own_event_ = 0;
  LaneStacks stacks_;
  std::vector<Sequence> sequences_;  // by event
  std::string bytes_;                // of the packet
  StringTable names_;
  ProcessNumbers numbers_;
  std::unordered_map<std::uint32_t, ProcessTrack> processes_;  // by number
  std::unordered_map<std::uint64_t, ThreadTrack> threads_;     // by number and tid
  std::uint64_t last_track_ = 0;
};

std::string bytes_of_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1]));
  }
  return bytes;
}

perfetto::UnwindError unwind_error_of(StackEnd end) {
  switch (end) {
    case StackEnd::too_deep:
      return perfetto::UnwindError::max_frames_exceeded;
    case StackEnd::not_readable:
      return perfetto::UnwindError::memory_invalid;
    case StackEnd::not_mapped:
      return perfetto::UnwindError::invalid_map;
    case StackEnd::no_table_yet:
    case StackEnd::no_cfi:
    case StackEnd::no_register:
    case StackEnd::unknown_rule:
      return perfetto::UnwindError::unwind_info;
    default:
      return perfetto::UnwindError::unknown;
  }
}

perfetto::FrameKindNumber kind_of(LaneCategory category) {
  switch (category) {
    case LaneCategory::user:
      return perfetto::FrameKindNumber::native;
    case LaneCategory::kernel:
      return perfetto::FrameKindNumber::kernel;
    case LaneCategory::script:
      return perfetto::FrameKindNumber::interpreted;
    case LaneCategory::jit:
      return perfetto::FrameKindNumber::jit;
    default:
      return perfetto::FrameKindNumber::unknown;
  }
}

template <class Fill>
void Perfetto::packet(std::ostream& out, const Fill& fill) {
  bytes_.clear();
  {
    protozero::pbf_builder<perfetto::TraceField> trace(bytes_);
    Packet packet(trace, perfetto::TraceField::packet);
    packet.add_uint32(perfetto::PacketField::trusted_packet_sequence_id, event_ + 1);
    if (std::exchange(sequence().is_state_clear, false)) {
      packet.add_uint32(perfetto::PacketField::sequence_flags, perfetto::state_cleared | perfetto::needs_state);
      protozero::pbf_builder<perfetto::DefaultsField> defaults(packet, perfetto::PacketField::trace_packet_defaults);
      defaults.add_uint32(perfetto::DefaultsField::timestamp_clock_id, perfetto::realtime_clock);
      protozero::pbf_builder<perfetto::SampleDefaultsField> samples(defaults,
                                                                    perfetto::DefaultsField::perf_sample_defaults);
      protozero::pbf_builder<perfetto::TimebaseField> timebase(samples, perfetto::SampleDefaultsField::timebase);
      if (run().frequency_hz != 0) timebase.add_uint64(perfetto::TimebaseField::frequency, run().frequency_hz);
      if (run().period_events != 0) timebase.add_uint64(perfetto::TimebaseField::period, run().period_events);
      timebase.add_string(perfetto::TimebaseField::name, sequence().name);
    } else {
      packet.add_uint32(perfetto::PacketField::sequence_flags, perfetto::needs_state);
    }
    fill(packet);
  }
  out.write(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
}

void Perfetto::begin(std::ostream& out, const TimedRun& run) {
  run_ = run;
  for (const RunInfo& of : run_.events) {
    sequences_.push_back({.name = clean_text(of.event.empty() ? of.unit.word() : of.event)});
  }
  const auto first = std::ranges::find_if(run_.events, has_spans);
  if (first != run_.events.end()) own_event_ = static_cast<std::uint32_t>(first - run_.events.begin());
  // Without such a packet, readers would take the times for those of another clock.
  packet(out, [&](Packet& packet) {
    protozero::pbf_builder<perfetto::SnapshotField> snapshot(packet, perfetto::PacketField::clock_snapshot);
    snapshot.add_uint32(perfetto::SnapshotField::primary_trace_clock, perfetto::realtime_clock);
    protozero::pbf_builder<perfetto::ClockField> clock(snapshot, perfetto::SnapshotField::clocks);
    clock.add_uint32(perfetto::ClockField::clock_id, perfetto::realtime_clock);
    clock.add_uint64(perfetto::ClockField::timestamp, run_.began_unix_ns);
  });
  // An event that every reader shows, so that the trace begins with the run and says what it is.
  packet(out, [&](Packet& packet) {
    packet.add_uint64(perfetto::PacketField::timestamp, run_.began_unix_ns);
    protozero::pbf_builder<perfetto::EventField> event(packet, perfetto::PacketField::track_event);
    event.add_string(perfetto::EventField::categories, "run");
    event.add_string(perfetto::EventField::name, title_of(run_, 0));
    event.add_enum(perfetto::EventField::type, static_cast<std::int32_t>(perfetto::EventType::instant));
  });
}

void Perfetto::end(std::ostream& out, std::uint64_t ended_ns) {
  packet(out, [&](Packet& packet) {
    packet.add_uint64(perfetto::PacketField::timestamp, trace_time(ended_ns));
    protozero::pbf_builder<perfetto::EventField> event(packet, perfetto::PacketField::track_event);
    event.add_string(perfetto::EventField::categories, "run");
    event.add_string(perfetto::EventField::name, "end of the run");
    event.add_enum(perfetto::EventField::type, static_cast<std::int32_t>(perfetto::EventType::instant));
  });
}

void Perfetto::append(std::ostream& out, const Profile& profile, const Sample& sample) {
  event_ = sample.event;
  ThreadTrack& thread = thread_of(out, profile, sample);
  const std::uint32_t stack = stacks_.stack_of(run(), profile, sample.row);
  if (is_span(run(), sample.row)) return append_span(out, profile, sample, thread, stack);
  append_sample(out, profile, sample, stack);
  if (run().unit != Unit::samples && !has_spans(run())) append_count(out, profile, sample);
}

Perfetto::ThreadTrack& Perfetto::thread_of(std::ostream& out, const Profile& profile, const Sample& sample) {
  const Process& program = profile.process(sample.row.process);
  const std::uint32_t pid = numbers_.of(profile, program);
  ProcessTrack& process = processes_[pid];
  if (process.track == 0) {
    process.track = ++last_track_;
    process.image = program.image;
    describe_process(out, profile, sample, process);
  }
  ThreadTrack& thread = threads_[std::uint64_t{pid} << 32 | sample.row.tid];
  if (thread.lanes.empty()) {
    thread.image = program.image;
    thread.name = names_.intern(clean_name(profile.strings.view(sample.row.thread_name)));
    thread.lanes.push_back({.track = ++last_track_, .event = own_event_});
    describe_thread(out, profile, sample, thread, process.track);
  }
  note_change(out, profile, sample, thread);
  return thread;
}

void Perfetto::describe_process(std::ostream& out, const Profile& profile, const Sample& sample,
                                ProcessTrack& process) {
  const Process& program = profile.process(sample.row.process);
  std::uint64_t began = program.began_unix_ns;
  if (began == 0) began = run_.program_began(program.tgid, program.image);
  packet(out, [&](Packet& packet) {
    protozero::pbf_builder<perfetto::TrackField> track(packet, perfetto::PacketField::track_descriptor);
    track.add_uint64(perfetto::TrackField::uuid, process.track);
    protozero::pbf_builder<perfetto::ProcessField> described(track, perfetto::TrackField::process);
    described.add_int32(perfetto::ProcessField::pid, static_cast<std::int32_t>(numbers_.of(profile, program)));
    described.add_string(perfetto::ProcessField::process_name, clean_name(profile.strings.view(program.name)));
    if (began != 0) described.add_int64(perfetto::ProcessField::start_timestamp_ns, static_cast<std::int64_t>(began));
  });
}

void Perfetto::describe_thread(std::ostream& out, const Profile& profile, const Sample& sample,
                               const ThreadTrack& thread, std::uint64_t process_track) {
  packet(out, [&](Packet& packet) {
    protozero::pbf_builder<perfetto::TrackField> track(packet, perfetto::PacketField::track_descriptor);
    track.add_uint64(perfetto::TrackField::uuid, thread.lanes.front().track);
    track.add_uint64(perfetto::TrackField::parent_uuid, process_track);
    protozero::pbf_builder<perfetto::ThreadField> described(track, perfetto::TrackField::thread);
    described.add_int32(perfetto::ThreadField::pid,
                        static_cast<std::int32_t>(numbers_.of(profile, profile.process(sample.row.process))));
    described.add_int32(perfetto::ThreadField::tid, static_cast<std::int32_t>(sample.row.tid));
    described.add_string(perfetto::ThreadField::thread_name, std::string(names_.view(thread.name)));
  });
}

// A lane keeps its first name, so another program in the process, or another name of the thread, is an event of its
// own.
void Perfetto::note_change(std::ostream& out, const Profile& profile, const Sample& sample, ThreadTrack& thread) {
  const std::uint32_t image = profile.process(sample.row.process).image;
  const StringId name = names_.intern(clean_name(profile.strings.view(sample.row.thread_name)));
  if (thread.image == image && thread.name == name) return;
  const bool is_program = std::exchange(thread.image, image) != image;
  thread.name = name;
  packet(out, [&](Packet& packet) {
    packet.add_uint64(perfetto::PacketField::timestamp, trace_time(sample.time_ns));
    protozero::pbf_builder<perfetto::EventField> event(packet, perfetto::PacketField::track_event);
    event.add_uint64(perfetto::EventField::track_uuid, thread.lanes.front().track);
    event.add_string(perfetto::EventField::categories, is_program ? "program" : "name");
    event.add_string(perfetto::EventField::name,
                     (is_program ? "program " : "thread ") + std::string(names_.view(name)));
    event.add_enum(perfetto::EventField::type, static_cast<std::int32_t>(perfetto::EventType::instant));
  });
}

Perfetto::Lane& Perfetto::lane_for(std::ostream& out, ThreadTrack& thread, std::uint64_t begin_ns) {
  const auto free = std::ranges::find_if(
      thread.lanes, [&](const Lane& lane) { return lane.event == event_ && lane.end_ns <= begin_ns; });
  if (free != thread.lanes.end()) return *free;
  Lane& lane = thread.lanes.emplace_back(Lane{.track = ++last_track_, .event = event_});
  packet(out, [&](Packet& packet) {
    protozero::pbf_builder<perfetto::TrackField> track(packet, perfetto::PacketField::track_descriptor);
    track.add_uint64(perfetto::TrackField::uuid, lane.track);
    track.add_uint64(perfetto::TrackField::parent_uuid, thread.lanes.front().track);
    track.add_string(perfetto::TrackField::name, sequence().name);
  });
  return lane;
}

void Perfetto::append_span(std::ostream& out, const Profile& profile, const Sample& sample, ThreadTrack& thread,
                           std::uint32_t stack) {
  const std::uint64_t end_ns = trace_time(sample.time_ns);
  const std::uint64_t most_ns = end_ns - run_.began_unix_ns;  // it may have begun before the run
  const std::uint64_t begin_ns = end_ns - std::min(sample.row.value * ns_of_span_unit(run()), most_ns);
  Lane& lane = lane_for(out, thread, begin_ns);
  lane.end_ns = end_ns;
  const std::string_view tag = profile.strings.view(sample.row.tag);
  packet(out, [&](Packet& packet) {
    packet.add_uint64(perfetto::PacketField::timestamp, begin_ns);
    intern_stack(packet, stack);
    protozero::pbf_builder<perfetto::EventField> event(packet, perfetto::PacketField::track_event);
    event.add_uint64(perfetto::EventField::track_uuid, lane.track);
    event.add_string(perfetto::EventField::categories, sequence().name);
    event.add_string(perfetto::EventField::name, tag.empty() ? sequence().name : clean_text(tag));
    event.add_enum(perfetto::EventField::type, static_cast<std::int32_t>(perfetto::EventType::slice_begin));
    if (stack == 0) return;
    event.add_uint64(perfetto::EventField::callstack_iid, stack);
    // Readers from before slices had stacks show this.
    protozero::pbf_builder<perfetto::AnnotationField> annotation(event, perfetto::EventField::debug_annotations);
    annotation.add_string(perfetto::AnnotationField::name, "function");
    const std::span<const LaneStacks::Node> nodes = stacks_.nodes();
    std::uint32_t shown = stack;  // below the tag
    if (!tag.empty() && nodes[shown].caller != 0) shown = nodes[shown].caller;
    const LaneFunction& function = stacks_.functions()[nodes[shown].function];
    annotation.add_string(perfetto::AnnotationField::string_value, std::string(stacks_.text(function.name)));
  });
  packet(out, [&](Packet& packet) {
    packet.add_uint64(perfetto::PacketField::timestamp, end_ns);
    protozero::pbf_builder<perfetto::EventField> event(packet, perfetto::PacketField::track_event);
    event.add_uint64(perfetto::EventField::track_uuid, lane.track);
    event.add_enum(perfetto::EventField::type, static_cast<std::int32_t>(perfetto::EventType::slice_end));
  });
}

void Perfetto::append_sample(std::ostream& out, const Profile& profile, const Sample& sample, std::uint32_t stack) {
  packet(out, [&](Packet& packet) {
    packet.add_uint64(perfetto::PacketField::timestamp, trace_time(sample.time_ns));
    intern_stack(packet, stack);
    protozero::pbf_builder<perfetto::SampleField> perf(packet, perfetto::PacketField::perf_sample);
    if (sample.cpu != any_cpu) perf.add_uint32(perfetto::SampleField::cpu, sample.cpu);
    perf.add_uint32(perfetto::SampleField::pid, numbers_.of(profile, profile.process(sample.row.process)));
    perf.add_uint32(perfetto::SampleField::tid, sample.row.tid);
    if (stack != 0) perf.add_uint64(perfetto::SampleField::callstack_iid, stack);
    if (run().kernel_stacks) {
      const bool is_kernel = sample.row.kernel != StackId::none;
      perf.add_enum(perfetto::SampleField::cpu_mode,
                    static_cast<std::int32_t>(is_kernel ? perfetto::CpuMode::kernel : perfetto::CpuMode::user));
    }
    if (const StackEnd end = profile.end_of(sample.row.user); is_incomplete(end)) {
      perf.add_enum(perfetto::SampleField::unwind_error, static_cast<std::int32_t>(unwind_error_of(end)));
    }
  });
}

void Perfetto::append_count(std::ostream& out, const Profile& profile, const Sample& sample) {
  ProcessTrack& process = processes_[numbers_.of(profile, profile.process(sample.row.process))];
  Counter& of = process.counters[event_];
  if (of.track == 0) {
    of.track = ++last_track_;
    packet(out, [&](Packet& packet) {
      protozero::pbf_builder<perfetto::TrackField> track(packet, perfetto::PacketField::track_descriptor);
      track.add_uint64(perfetto::TrackField::uuid, of.track);
      track.add_uint64(perfetto::TrackField::parent_uuid, process.track);
      track.add_string(perfetto::TrackField::name, sequence().name);
      protozero::pbf_builder<perfetto::CounterField> counter(track, perfetto::TrackField::counter);
      const bool is_bytes = run().unit == Unit::bytes;
      counter.add_enum(
          perfetto::CounterField::unit,
          static_cast<std::int32_t>(is_bytes ? perfetto::CounterUnit::size_bytes : perfetto::CounterUnit::count));
      if (!is_bytes) counter.add_string(perfetto::CounterField::unit_name, clean_text(run().unit.word()));
    });
  }
  of.count += sample.row.value;
  packet(out, [&](Packet& packet) {
    packet.add_uint64(perfetto::PacketField::timestamp, trace_time(sample.time_ns));
    protozero::pbf_builder<perfetto::EventField> event(packet, perfetto::PacketField::track_event);
    event.add_uint64(perfetto::EventField::track_uuid, of.track);
    event.add_enum(perfetto::EventField::type, static_cast<std::int32_t>(perfetto::EventType::counter));
    event.add_int64(perfetto::EventField::counter_value, static_cast<std::int64_t>(of.count));
  });
}

// --- What has a number ----------------------------------------------------------------------------------------------

void Perfetto::intern_stack(Packet& packet, std::uint32_t stack) {
  if (stack == 0) return;
  std::vector<bool>& written = sequence().stacks_written;
  if (stack >= written.size()) written.resize(stack + std::size_t{1});
  if (written[stack]) return;
  written[stack] = true;
  std::vector<std::uint64_t> root_first;
  for (std::uint32_t at = stack; at != 0; at = stacks_.nodes()[at].caller) {
    root_first.push_back(stacks_.nodes()[at].function + std::uint64_t{1});
  }
  std::ranges::reverse(root_first);
  Interned interned(packet, perfetto::PacketField::interned_data);
  for (std::size_t& count = sequence().functions_written; count < stacks_.functions().size(); ++count) {
    intern_function(interned, stacks_.functions()[count]);
  }
  protozero::pbf_builder<perfetto::CallstackField> callstack(interned, perfetto::InternedField::callstacks);
  callstack.add_uint64(perfetto::CallstackField::iid, stack);
  for (const std::uint64_t frame : root_first) callstack.add_uint64(perfetto::CallstackField::frame_ids, frame);
}

void Perfetto::intern_function(Interned& interned, const LaneFunction& function) {
  const std::uint64_t name = intern_text(interned, TextKind::function, function.name);
  const std::uint64_t mapping = intern_mapping(interned, function);
  const std::uint64_t source =
      function.source == StringId::empty ? 0 : intern_text(interned, TextKind::source, function.source);
  protozero::pbf_builder<perfetto::FrameField> frame(interned, perfetto::InternedField::frames);
  frame.add_uint64(perfetto::FrameField::iid, sequence().functions_written + 1);
  frame.add_uint64(perfetto::FrameField::function_name_id, name);
  frame.add_uint64(perfetto::FrameField::mapping_id, mapping);
  frame.add_uint64(perfetto::FrameField::rel_pc, function.address.value);
  if (source != 0) frame.add_uint64(perfetto::FrameField::source_path_iid, source);
  if (function.line != 0) frame.add_uint32(perfetto::FrameField::line_number, function.line);
  const perfetto::FrameKindNumber kind = kind_of(function.category);
  if (kind != perfetto::FrameKindNumber::unknown)
    frame.add_enum(perfetto::FrameField::kind, static_cast<std::int32_t>(kind));
}

// The number is one more than the id, because 0 is no number.
std::uint64_t Perfetto::intern_text(Interned& interned, TextKind kind, StringId id) {
  constexpr perfetto::InternedField fields[] = {
      perfetto::InternedField::function_names, perfetto::InternedField::mapping_paths,
      perfetto::InternedField::build_ids, perfetto::InternedField::source_paths};
  std::vector<bool>& written = sequence().texts_written[static_cast<std::size_t>(kind)];
  const auto index = static_cast<std::size_t>(id);
  if (index >= written.size()) written.resize(index + 1);
  if (!written[index]) {
    written[index] = true;
    const std::string_view text = stacks_.text(id);
    protozero::pbf_builder<perfetto::InternedStringField> string(interned, fields[static_cast<std::size_t>(kind)]);
    string.add_uint64(perfetto::InternedStringField::iid, index + 1);
    string.add_bytes(perfetto::InternedStringField::text,
                     kind == TextKind::build_id ? bytes_of_hex(text) : std::string(text));
  }
  return index + 1;
}

// Every frame gets a mapping, because older readers drop frames that have none.
std::uint64_t Perfetto::intern_mapping(Interned& interned, const LaneFunction& function) {
  StringId path = function.path;
  if (path == StringId::empty) path = function.module;
  if (path == StringId::empty) path = stacks_.strings().intern(unknown_name);
  if (stacks_.text(path) == "[kernel]") path = stacks_.strings().intern(perf_kernel);
  std::map<Mapping, std::uint64_t>& numbers = sequence().mapping_numbers;
  const auto [place, is_new] = numbers.try_emplace({path, function.build_id, function.code}, numbers.size() + 1);
  if (!is_new) return place->second;
  const std::uint64_t path_number = intern_text(interned, TextKind::path, path);
  const std::uint64_t build_id =
      function.build_id == StringId::empty ? 0 : intern_text(interned, TextKind::build_id, function.build_id);
  protozero::pbf_builder<perfetto::MappingField> mapping(interned, perfetto::InternedField::mappings);
  mapping.add_uint64(perfetto::MappingField::iid, place->second);
  if (build_id != 0) mapping.add_uint64(perfetto::MappingField::build_id, build_id);
  if (function.code.is_known()) {
    const CodeSegment& code = function.code;
    mapping.add_uint64(perfetto::MappingField::exact_offset, code.offset.value);
    mapping.add_uint64(perfetto::MappingField::start, code.start.value);
    mapping.add_uint64(perfetto::MappingField::end, code.limit.value);
    mapping.add_uint64(perfetto::MappingField::load_bias, code.start.value - code.offset.value);
  }
  mapping.add_uint64(perfetto::MappingField::path_string_ids, path_number);
  return place->second;
}

}  // namespace

std::unique_ptr<TimedOutput> make_perfetto(const OutputOptions& /*options*/) { return std::make_unique<Perfetto>(); }

}  // namespace profile
