// The numbers that the fields of pprof's format have, as github.com/google/pprof/proto/profile.proto gives them: of
// what is written and of what is read, and where our files put code.
#pragma once

#include <cstdint>
#include <protozero/types.hpp>
#include <string_view>

namespace profile::pprof {

enum class ProfileField : protozero::pbf_tag_type {
  sample_type = 1,
  sample = 2,
  mapping = 3,
  location = 4,
  function = 5,
  string_table = 6,
  time_nanos = 9,
  duration_nanos = 10,
  period_type = 11,
  period = 12,
  comment = 13,
  default_sample_type = 14
};

// pprof tells code apart by its address alone, and most files count theirs from near 0. So a mapping that we write is
// moved where another is in its place: what the file counts is below this bit, the number of the mapping from it on. A
// comment says where those begin that were moved, for others' addresses may lie as high.
inline constexpr unsigned place_shift = 47;
inline constexpr std::uint64_t most_in_place = std::uint64_t{1} << place_shift;
inline constexpr std::uint64_t most_places = std::uint64_t{1} << (63 - place_shift);  // above them lies the kernel
inline constexpr std::string_view moved_comment = "out of the way of others by multiples of 0x800000000000:";

// The label of a sample whose user stack is not whole: why it ends, by its key (model/stack_end.h). Where a comment
// says how many are whole, those are so that have none; otherwise nothing is told of them.
inline constexpr std::string_view stack_end_label = "stack_end";
inline constexpr std::string_view whole_comment = " user stacks whole";

enum class ValueTypeField : protozero::pbf_tag_type { type = 1, unit = 2 };

enum class SampleField : protozero::pbf_tag_type { location_id = 1, value = 2, label = 3 };

enum class LabelField : protozero::pbf_tag_type { key = 1, str = 2, num = 3, num_unit = 4 };

enum class MappingField : protozero::pbf_tag_type {
  id = 1,
  memory_start = 2,
  memory_limit = 3,
  file_offset = 4,
  filename = 5,
  build_id = 6,
  has_functions = 7,
  has_filenames = 8,
  has_line_numbers = 9,
  has_inline_frames = 10
};

// is_return is ours, and others skip it: whether the frame's own address is the one behind the written one. A reader
// tells it by where a location stands in samples, so it is written only where that would be wrong: below a signal
// handler stands what was interrupted, and no call returns there.
enum class LocationField : protozero::pbf_tag_type { id = 1, mapping_id = 2, address = 3, line = 4, is_return = 1000 };

enum class LineField : protozero::pbf_tag_type { function_id = 1, line = 2 };

enum class FunctionField : protozero::pbf_tag_type { id = 1, name = 2, system_name = 3, filename = 4 };

}  // namespace profile::pprof
