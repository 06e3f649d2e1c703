// The tables that the samples of a pprof profile refer to by number: locations, their functions and mappings, and all
// texts.
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
  // `profile` must outlive this object and must not change.
  PprofTables(const Profile& profile, bool hide_addresses);

  // Returns the index of the cleaned text in the string table.
  std::int64_t text(std::string_view text);
  std::int64_t text(StringId id);
  // Returns the id of the location of a frame in a sample with this value. `is_leaf`: leaf of the user stack or of the
  // kernel stack.
  std::uint64_t location(FrameId frame, std::uint64_t value, bool is_leaf);
  // Returns the id of a location without an address that stands for something else: "[Missed User Stack]".
  std::uint64_t stand_in(std::string_view text);
  // Writes all items that were requested, texts last. Request nothing after it.
  void write(PprofSink& sink);

 private:
  // How the samples have a frame.
  struct Use {
    bool is_leaf = false;     // in at least one sample
    bool has_callee = false;  // in at least one sample
    double weight = 0;        // sum over all samples
    [[nodiscard]] bool any() const { return is_leaf || has_callee; }
  };
  struct Mapping {
    std::int64_t file = 0;
    std::int64_t build_id = 0;
    CodeSegment code;
    double weight = 0;        // sum of the values of its frames
    std::uint64_t place = 0;  // offset added to its addresses
    bool has_functions = false;
    bool has_files = false;
    bool has_lines = false;
    bool has_inlined = false;
  };
  struct Function {
    std::int64_t name = 0;
    std::int64_t file = 0;
    std::uint32_t start_line = 0;
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
  bool hide_addresses_;  // code in no file then has address 0
  StringTable texts_;
  std::vector<StringId> cleaned_;  // by StringId of the profile; empty: not yet requested, or the text is empty
  std::string scratch_;
  std::vector<Use> uses_;  // by FrameId
  std::vector<std::int64_t> stand_ins_;
  std::unordered_map<std::int64_t, std::uint64_t> stand_in_ids_;            // by text
  std::vector<Mapping> mappings_;                                           // id: index + 1
  std::vector<Function> functions_;                                         // id: index + 1
  std::map<std::pair<BinaryId, std::int64_t>, std::uint64_t> mapping_ids_;  // by binary and name
  std::map<Function, std::uint64_t> function_ids_;
  std::vector<Line> lines_;  // of the current location
};

}  // namespace profile
