// A parsed and checked pprof message: every id or index in it refers to an entry that exists. Texts are views of the
// message. Samples are the largest part, so they are not kept but read from the message one by one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace profile {

class PprofFile {
 public:
  struct ValueType {
    std::string_view type;
    std::string_view unit;
  };
  struct Mapping {
    std::uint64_t id = 0;
    std::uint64_t start = 0;
    std::uint64_t limit = 0;
    std::uint64_t file_offset = 0;
    std::string_view file;
    std::string_view build_id;
  };
  struct Function {
    std::uint64_t id = 0;
    std::string_view name;
    std::string_view file;
    std::int64_t start_line = 0;  // 0: unknown
  };
  struct Line {
    std::uint64_t function = 0;  // 0: unknown
    std::int64_t line = 0;
  };
  struct Location {
    std::uint64_t id = 0;
    std::uint64_t mapping = 0;  // 0: none
    std::uint64_t address = 0;
    std::uint32_t first_line = 0;
    std::uint32_t lines = 0;
    std::optional<bool> is_return;  // only in our files, and only where we wrote it
    bool is_script = false;         // likewise
    // Of frames that the file asks to leave out: this function or one inlined in it begins them, and whether nothing of
    // the location is left.
    bool begins_dropped = false;
    bool is_dropped = false;
  };
  struct Label {
    std::string_view key;
    std::string_view text;
    std::int64_t number = 0;
  };
  struct Sample {
    std::vector<std::uint32_t> locations;  // indices of PprofFile::locations, leaf first
    std::vector<std::int64_t> values;      // as many as there are sample types
    std::vector<Label> labels;
  };

  // `message` is not compressed and must outlive this object. Throws Error; so does each_sample().
  explicit PprofFile(std::string_view message);

  // What the message says; the constructor fills it.
  std::vector<ValueType> sample_types;
  ValueType period_type;
  std::int64_t period = 0;
  std::string_view default_sample_type;
  std::int64_t time_ns = 0;
  std::int64_t duration_ns = 0;
  std::vector<std::string_view> comments;
  std::vector<Location> locations;  // sorted by id
  std::string_view main_file;       // of the first mapping; empty when there is none

  // The lines of a location, innermost first.
  [[nodiscard]] std::span<const Line> lines(const Location& location) const {
    return std::span(lines_).subspan(location.first_line, location.lines);
  }
  // Nullptr for 0.
  [[nodiscard]] const Mapping* mapping(std::uint64_t id) const;
  [[nodiscard]] const Function* function(std::uint64_t id) const;
  // Calls `visit` for each sample; all calls share one Sample object.
  void each_sample(const std::function<void(const Sample&)>& visit) const;

 private:
  class Parser;

  [[nodiscard]] std::string_view text(std::uint64_t index) const;
  void read_sample(std::string_view bytes, Sample& sample) const;
  // The frames that the file asks to leave out (drop_frames, keep_frames): what is called by such a function, and
  // itself.
  void find_dropped();
  void drop_frames(std::vector<std::uint32_t>& leaf_first) const;

  std::string_view message_;
  std::string_view dropped_;  // the pattern of names, and that of exceptions
  std::string_view kept_;
  std::vector<std::string_view> texts_;
  std::vector<Mapping> mappings_;    // sorted by id
  std::vector<Function> functions_;  // sorted by id
  std::vector<Line> lines_;
};

}  // namespace profile
