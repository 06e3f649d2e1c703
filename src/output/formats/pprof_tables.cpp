// A frame without a name, in a known file, is a location without lines: pprof shows the file, and a user who has the
// file can still find the name. Addresses are file addresses, moved if files overlap and their ranges are known. Code
// in no file keeps its runtime address.
#include "output/formats/pprof_tables.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

#include "output/clean_text.h"
#include "output/shown_frame.h"

namespace profile {
namespace {

using pprof::FunctionField;
using pprof::LineField;
using pprof::LocationField;
using pprof::MappingField;
using pprof::ProfileField;

bool is_named(const Frame& frame) { return frame.unnamed == Unnamed::named && frame.symbol != StringId::empty; }

}  // namespace

PprofTables::PprofTables(const Profile& profile, bool hide_addresses)
    : profile_(profile),
      hide_addresses_(hide_addresses),
      cleaned_(profile.strings.size()),
      uses_(profile.frames().size()) {}

std::int64_t PprofTables::text(std::string_view text) {
  scratch_.clear();
  append_clean(scratch_, text, Semicolon::keep);
  return static_cast<std::int64_t>(texts_.intern(scratch_));
}

std::int64_t PprofTables::text(StringId id) {
  StringId& cleaned = cleaned_[static_cast<std::size_t>(id)];
  if (cleaned == StringId::empty) cleaned = static_cast<StringId>(text(profile_.strings.view(id)));
  return static_cast<std::int64_t>(cleaned);
}

std::uint64_t PprofTables::location(FrameId frame, std::uint64_t value, bool is_leaf) {
  Use& use = uses_[static_cast<std::size_t>(frame)];
  (is_leaf ? use.is_leaf : use.has_callee) = true;
  use.weight += static_cast<double>(value);
  return static_cast<std::uint64_t>(frame) + 1;
}

std::uint64_t PprofTables::stand_in(std::string_view words) {
  const std::int64_t name = text(words);
  const auto [found, is_new] = stand_in_ids_.try_emplace(name, uses_.size() + stand_ins_.size() + 1);
  if (is_new) stand_ins_.push_back(name);
  return found->second;
}

void PprofTables::write(PprofSink& sink) {
  place_mappings();
  write_places(sink);
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    if (uses_[i].any()) write_location(sink, static_cast<FrameId>(i));
  }
  for (const std::int64_t name : stand_ins_) {
    sink.message<LocationField>(ProfileField::location, [&](auto& location) {
      location.add_uint64(LocationField::id, stand_in_ids_.at(name));
      protozero::pbf_builder<LineField> line(location, LocationField::line);
      line.add_uint64(LineField::function_id, function({.name = name}));
    });
  }
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    sink.message<FunctionField>(ProfileField::function, [&](auto& function) {
      function.add_uint64(FunctionField::id, i + 1);
      function.add_int64(FunctionField::name, functions_[i].name);
      if (functions_[i].file != 0) function.add_int64(FunctionField::filename, functions_[i].file);
      if (functions_[i].start_line != 0) function.add_int64(FunctionField::start_line, functions_[i].start_line);
    });
  }
  for (const std::size_t i : mappings_program_first()) {
    const Mapping& one = mappings_[i];
    sink.message<MappingField>(ProfileField::mapping, [&](auto& mapping) {
      mapping.add_uint64(MappingField::id, i + 1);
      if (one.code.is_known()) {
        mapping.add_uint64(MappingField::memory_start, one.code.start.value + one.place);
        mapping.add_uint64(MappingField::memory_limit, one.code.limit.value + one.place);
        mapping.add_uint64(MappingField::file_offset, one.code.offset.value);
      }
      mapping.add_int64(MappingField::filename, one.file);
      if (one.build_id != 0) mapping.add_int64(MappingField::build_id, one.build_id);
      mapping.add_bool(MappingField::has_functions, one.has_functions);
      mapping.add_bool(MappingField::has_filenames, one.has_files);
      mapping.add_bool(MappingField::has_line_numbers, one.has_lines);
      mapping.add_bool(MappingField::has_inline_frames, one.has_inlined);
    });
  }
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    sink.text(ProfileField::string_table, texts_.view(static_cast<StringId>(i)));
  }
}

// The heaviest mappings keep the addresses of their files if these do not overlap, because `go tool pprof` disassembles
// at the addresses in the profile.
void PprofTables::place_mappings() {
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    if (!uses_[i].any()) continue;
    const std::uint64_t mapping = mapping_of(profile_.frame(static_cast<FrameId>(i)));
    if (mapping != 0) mappings_[mapping - 1].weight += uses_[i].weight;
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < mappings_.size(); ++i) {
    if (mappings_[i].code.is_known() && mappings_[i].code.limit.value <= pprof::most_in_place) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::ranges::greater(), [this](std::size_t i) { return mappings_[i].weight; });
  std::map<std::uint64_t, std::uint64_t> taken;  // key: start; value: limit
  for (const std::size_t i : order) {
    const std::uint64_t start = mappings_[i].code.start.value;
    const std::uint64_t limit = mappings_[i].code.limit.value;
    const auto behind = taken.lower_bound(start);
    const bool is_free = (behind == taken.end() || limit <= behind->first) &&
                         (behind == taken.begin() || std::prev(behind)->second <= start);
    if (is_free) {
      taken.emplace(start, limit);
    } else if (i + 1 < pprof::most_places) {
      mappings_[i].place = (i + 1) << pprof::place_shift;
    }
  }
}

// "out of the way of others by multiples of 0x800000000000: 0x1000000401000 0x1800000002000"
void PprofTables::write_places(PprofSink& sink) {
  std::string comment(pprof::moved_comment);
  for (const Mapping& one : mappings_) {
    if (one.place != 0) append_all(comment, " 0x", hex(one.code.start.value + one.place));
  }
  if (comment != pprof::moved_comment) sink.number(ProfileField::comment, text(comment));
}

// pprof takes the first mapping for the profiled program.
std::vector<std::size_t> PprofTables::mappings_program_first() const {
  std::vector<std::size_t> order(mappings_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto is_program = [this](std::size_t i) {
    const std::string_view file = texts_.view(static_cast<StringId>(mappings_[i].file));
    return !file.starts_with('[') && file.find(".so") == std::string_view::npos;
  };
  const auto program = std::find_if(order.begin(), order.end(), is_program);
  if (program != order.end()) std::rotate(order.begin(), program, program + 1);
  return order;
}

void PprofTables::write_location(PprofSink& sink, FrameId id) {
  const Frame& frame = profile_.frame(id);
  const std::uint64_t mapping = mapping_of(frame);
  find_lines(id, mapping);
  const bool in_file = frame.binary != BinaryId::none;
  const std::uint64_t in_memory = hide_addresses_ || frame.kind == FrameKind::script ? 0 : frame.address.value;
  const std::uint64_t place = mapping == 0 ? 0 : mappings_[mapping - 1].place;
  const std::uint64_t address = in_file ? frame.binary_address.value + place : in_memory;
  const Use& use = uses_[static_cast<std::size_t>(id)];
  const bool seems_return = use.has_callee && !use.is_leaf;
  sink.message<LocationField>(ProfileField::location, [&](auto& location) {
    location.add_uint64(LocationField::id, static_cast<std::uint64_t>(id) + 1);
    if (mapping != 0) location.add_uint64(LocationField::mapping_id, mapping);
    // pprof needs an address inside the call instruction, not the return address after it.
    location.add_uint64(LocationField::address, call_address(address, frame.is_return && address != 0));
    if (address != 0 && frame.is_return != seems_return) location.add_bool(LocationField::is_return, frame.is_return);
    const bool has_start =
        std::ranges::any_of(lines_, [this](const Line& at) { return functions_[at.function - 1].start_line != 0; });
    if (frame.kind == FrameKind::script && !has_start) location.add_bool(LocationField::is_script, true);
    for (const Line& at : lines_) {
      protozero::pbf_builder<LineField> line(location, LocationField::line);
      line.add_uint64(LineField::function_id, at.function);
      if (at.number != 0) line.add_int64(LineField::line, at.number);
    }
  });
}

// Fills lines_, innermost first, and records in the mapping which data its frames have.
void PprofTables::find_lines(FrameId id, std::uint64_t mapping_id) {
  const Frame& frame = profile_.frame(id);
  lines_.clear();
  const bool is_place = !is_named(frame) && frame.function == unknown_offset;
  if (is_place && frame.source == SourceLocationId::none && frame.binary != BinaryId::none) return;
  for_each_shown(profile_, id, [&](const ShownFrame& shown) {
    scratch_.clear();
    append_function(scratch_, profile_, shown, Semicolon::keep);
    const auto name = static_cast<std::int64_t>(texts_.intern(scratch_));
    const std::uint32_t own_line = frame.kind == FrameKind::script ? shown.at.line : 0;
    const std::uint32_t start_line = frame.begins_at != 0 ? frame.begins_at : own_line;
    lines_.push_back({.function = function({.name = name, .file = text(shown.at.file), .start_line = start_line}),
                      .number = shown.at.line});
    if (mapping_id == 0) return;
    Mapping& mapping = mappings_[mapping_id - 1];
    mapping.has_functions = true;
    mapping.has_files |= shown.at.file != StringId::empty;
    mapping.has_lines |= shown.at.line != 0;
    mapping.has_inlined |= shown.is_inlined;
  });
}

// Returns the id, or 0 if no file or module is known.
std::uint64_t PprofTables::mapping_of(const Frame& frame) {
  const Binary& binary = profile_.binary(frame.binary);
  std::string file(profile_.strings.view(binary.path));
  if (file.empty()) file = code_file_name(profile_, frame);
  if (file.empty()) return 0;
  // Code in no file gets a name in brackets, so that pprof does not look for a file.
  if (frame.binary == BinaryId::none && file.front() != '[') file = "[" + file + "]";
  const std::int64_t name = text(file);
  const auto [found, is_new] = mapping_ids_.try_emplace(std::pair(frame.binary, name), mappings_.size() + 1);
  if (is_new) mappings_.push_back({.file = name, .build_id = text(binary.build_id), .code = binary.code});
  return found->second;
}

std::uint64_t PprofTables::function(const Function& function) {
  const auto [found, is_new] = function_ids_.try_emplace(function, functions_.size() + 1);
  if (is_new) functions_.push_back(function);
  return found->second;
}

}  // namespace profile
