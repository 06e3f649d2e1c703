// The field numbers of pprof's format, as in github.com/google/pprof/proto/profile.proto, for its writer and its
// reader; and the places where our files put code.
#pragma once

#include <cstdint>
#include <protozero/types.hpp>
#include <string>
#include <string_view>

namespace profile::pprof {

enum class ProfileField : protozero::pbf_tag_type {
  sample_type = 1,
  sample = 2,
  mapping = 3,
  location = 4,
  function = 5,
  string_table = 6,
  drop_frames = 7,
  keep_frames = 8,
  time_nanos = 9,
  duration_nanos = 10,
  period_type = 11,
  period = 12,
  comment = 13,
  default_sample_type = 14
};

// pprof tells code apart only by address, and most files count addresses from near 0. So the writer moves a mapping
// whose place is taken: the bits below this one are the file's own address, the others are the number of the mapping.
// A comment in the file says where the moved mappings begin, because files of other writers may have addresses as high.
inline constexpr unsigned place_shift = 47;
inline constexpr std::uint64_t most_in_place = std::uint64_t{1} << place_shift;
inline constexpr std::uint64_t most_places = std::uint64_t{1} << (63 - place_shift);  // the kernel is above
inline constexpr std::string_view moved_comment = "out of the way of others by multiples of 0x800000000000:";

// The label of a sample with an incomplete user stack: its value is the key of the reason (model/stack_end.h). In a
// file with the comment about whole stacks, a sample without the label has a whole stack; otherwise its end is unknown.
inline constexpr std::string_view stack_end_label = "stack_end";
inline constexpr std::string_view whole_comment = " user stacks whole";
// Begins the comment that says where and when the run was. The one before it is the title.
inline constexpr std::string_view place_comment = "on ";

// The labels of a wait with --waker: the name of the thread that ended it, and the functions of its stack from the root
// to the leaf, separated by ';', with the mark behind those of the kernel.
inline constexpr std::string_view waker_label = "waker";
inline constexpr std::string_view waker_stack_label = "waker_stack";
inline constexpr std::string_view kernel_mark = "_[k]";

// "off_cpu": collectors have the type of a value in a query, so it has only letters, digits and '_'.
[[nodiscard]] inline std::string identifier(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    text += is_plain ? c : '_';
  }
  return text;
}

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

// is_return is our own field, and other readers skip it: whether the frame's own address is the one after the written
// one. A reader guesses it from the place of a location in its samples, so the writer adds it only where the guess is
// wrong: an interrupted frame is outside a signal handler, and no call returns there.
//
// is_script is our own, too: of a function of a script whose lines are not known. Another one is recognised by its
// start_line.
enum class LocationField : protozero::pbf_tag_type {
  id = 1,
  mapping_id = 2,
  address = 3,
  line = 4,
  is_return = 1000,
  is_script = 1001
};

enum class LineField : protozero::pbf_tag_type { function_id = 1, line = 2 };

// In our files only functions of scripts have a start_line.
enum class FunctionField : protozero::pbf_tag_type { id = 1, name = 2, system_name = 3, filename = 4, start_line = 5 };

}  // namespace profile::pprof
