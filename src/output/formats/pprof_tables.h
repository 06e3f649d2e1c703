// What the samples of a pprof profile refer to by number: locations, the functions and mappings of these, and the text
// of them all, each once.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/profile.h"
#include "model/string_table.h"
#include "output/formats/pprof_sink.h"

namespace profile {

class PprofTables {
 public:
  // `profile` must outlive it and stay as it is.
  PprofTables(const Profile& profile, bool hide_addresses);

  // Index of a text, made clean, in the string table.
  std::int64_t text(std::string_view text);
  std::int64_t text(StringId id);
  // Id of the location of a frame, in a sample of this value. `is_leaf`: of its part of the stack, user or kernel.
  std::uint64_t location(FrameId frame, std::uint64_t value, bool is_leaf);
  // Id of one that only stands in for something and has no address: "[Missed User Stack]".
  std::uint64_t stand_in(std::string_view text);
  // Writes all that has been asked for, the texts last: nothing may be asked for behind it.
  void write(PprofSink& sink);

 private:
  struct Mapping {
    std::int64_t file = 0;
    std::int64_t build_id = 0;
    CodeSegment code;
    double weight = 0;        // of its frames in all samples
    std::uint64_t place = 0;  // added to its addresses
    bool has_functions = false;
    bool has_files = false;
    bool has_lines = false;
    bool has_inlined = false;
  };
  struct Function {
    std::int64_t name = 0;
    std::int64_t file = 0;
    friend auto operator<=>(const Function&, const Function&) = default;
  };
  struct Line {
    std::uint64_t function = 0;
    std::uint32_t number = 0;
  };

  void write_location(PprofSink& sink, FrameId id);
  void place_mappings();
  void write_places(PprofSink& sink);
  void find_lines(FrameId id, std::uint64_t mapping_id);
  [[nodiscard]] std::vector<std::size_t> mappings_program_first() const;
  std::uint64_t mapping_of(const Frame& frame);
  std::uint64_t function(const Function& function);

  const Profile& profile_;
  bool hide_addresses_;  // what lies in no file has none then
  StringTable texts_;
  std::vector<StringId> cleaned_;  // by StringId of the profile; empty: not asked for yet, or of the empty text
  std::string scratch_;
  std::vector<bool> used_;        // by FrameId; as are the next three
  std::vector<bool> is_leaf_;     // in some sample
  std::vector<bool> has_callee_;  // in some sample
  std::vector<double> weights_;   // in all samples
  std::vector<std::int64_t> stand_ins_;
  std::unordered_map<std::int64_t, std::uint64_t> stand_in_ids_;            // by text
  std::vector<Mapping> mappings_;                                           // ids are one more than indices; as are
  std::vector<Function> functions_;                                         // these
  std::map<std::pair<BinaryId, std::int64_t>, std::uint64_t> mapping_ids_;  // by binary and name
  std::map<Function, std::uint64_t> function_ids_;
  std::vector<Line> lines_;  // of the location that is being written
};

}  // namespace profile
