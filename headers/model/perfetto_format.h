// The fields of Perfetto's traces that are used here, with the numbers of its published message definitions
// (protos/perfetto/trace/ of google/perfetto). The writer and its tests share them.
#pragma once

#include <cstdint>
#include <protozero/types.hpp>

namespace profile::perfetto {

enum class TraceField : protozero::pbf_tag_type { packet = 1 };
enum class PacketField : protozero::pbf_tag_type {
  clock_snapshot = 6,
  timestamp = 8,
  trusted_packet_sequence_id = 10,
  track_event = 11,
  interned_data = 12,
  sequence_flags = 13,
  trace_packet_defaults = 59,
  track_descriptor = 60,
  perf_sample = 66
};
// Of sequence_flags.
inline constexpr std::uint32_t state_cleared = 1;
inline constexpr std::uint32_t needs_state = 2;

enum class SnapshotField : protozero::pbf_tag_type { clocks = 1, primary_trace_clock = 2 };
enum class ClockField : protozero::pbf_tag_type { clock_id = 1, timestamp = 2 };
inline constexpr std::uint32_t realtime_clock = 1;

enum class DefaultsField : protozero::pbf_tag_type { perf_sample_defaults = 12, timestamp_clock_id = 58 };
enum class SampleDefaultsField : protozero::pbf_tag_type { timebase = 1 };
enum class TimebaseField : protozero::pbf_tag_type { period = 1, frequency = 2, name = 10 };

enum class TrackField : protozero::pbf_tag_type {
  uuid = 1,
  name = 2,
  process = 3,
  thread = 4,
  parent_uuid = 5,
  counter = 8
};
enum class ProcessField : protozero::pbf_tag_type { pid = 1, process_name = 6, start_timestamp_ns = 7 };
enum class ThreadField : protozero::pbf_tag_type { pid = 1, tid = 2, thread_name = 5 };
enum class CounterField : protozero::pbf_tag_type { unit = 3, unit_name = 6 };
enum class CounterUnit : std::int32_t { time_ns = 1, count = 2, size_bytes = 3 };

enum class EventField : protozero::pbf_tag_type {
  debug_annotations = 4,
  type = 9,
  track_uuid = 11,
  categories = 22,
  name = 23,
  counter_value = 30,
  callstack_iid = 56
};
enum class EventType : std::int32_t { slice_begin = 1, slice_end = 2, instant = 3, counter = 4 };
enum class AnnotationField : protozero::pbf_tag_type { string_value = 6, name = 10 };

enum class SampleField : protozero::pbf_tag_type {
  cpu = 1,
  pid = 2,
  tid = 3,
  callstack_iid = 4,
  cpu_mode = 5,
  unwind_error = 16
};
enum class CpuMode : std::int32_t { unknown = 0, kernel = 1, user = 2 };
enum class UnwindError : std::int32_t {
  unknown = 0,
  memory_invalid = 2,
  unwind_info = 3,
  invalid_map = 5,
  max_frames_exceeded = 6
};

enum class InternedField : protozero::pbf_tag_type {
  function_names = 5,
  frames = 6,
  callstacks = 7,
  build_ids = 16,
  mapping_paths = 17,
  source_paths = 18,
  mappings = 19
};
enum class InternedStringField : protozero::pbf_tag_type { iid = 1, text = 2 };
enum class MappingField : protozero::pbf_tag_type {
  iid = 1,
  build_id = 2,
  start = 4,
  end = 5,
  load_bias = 6,
  path_string_ids = 7,
  exact_offset = 8
};
enum class FrameField : protozero::pbf_tag_type {
  iid = 1,
  function_name_id = 2,
  mapping_id = 3,
  rel_pc = 4,
  source_path_iid = 5,
  line_number = 6,
  kind = 7
};
enum class FrameKindNumber : std::int32_t { unknown = 0, native = 1, kernel = 2, interpreted = 3, jit = 4 };
enum class CallstackField : protozero::pbf_tag_type { iid = 1, frame_ids = 2 };

}  // namespace profile::perfetto
