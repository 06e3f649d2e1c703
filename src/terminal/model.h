// The contents of the tables of --top, and what the keys do to them. It knows nothing of the terminal except its number
// of rows, so that it can be tested without one.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/history.h"
#include "terminal/rows.h"

namespace profile {

enum class TopKey : std::uint8_t {
  character,
  up,
  down,
  page_up,
  page_down,
  home,
  end,
  enter,
  escape,
  backspace,
  tab,
  tab_back
};

// One line of a table: a row, or a frame below the row of an unfolded stack, leaf first.
struct TopTableLine {
  const TopRow* row = nullptr;
  TopTable::Index node = TopTable::none;  // only for a frame
  bool is_frame = false;
  bool is_selected = false;
};

class TopModel {
 public:
  explicit TopModel(const FlameHistory::Limits& limits = TopHistory::default_limits) : history_(limits) {}

  void add(const Profile& profile);
  // Whether processes of one name are one.
  void merge_processes(bool is);
  [[nodiscard]] bool merges_processes() const { return merges_processes_; }
  // False: the user wants to quit. `character` is only for TopKey::character.
  [[nodiscard]] bool on_key(TopKey key, char32_t character = 0);

  [[nodiscard]] const TopHistory& history() const { return history_; }
  [[nodiscard]] const TopTable& table() const { return history_.shown().table; }

  [[nodiscard]] TopWhat what() const { return what_; }
  [[nodiscard]] TopSort sort() const { return sorts_[static_cast<std::size_t>(what_)]; }
  [[nodiscard]] TopPart part() const { return part_; }
  [[nodiscard]] double window_s() const;  // 0: since the start
  [[nodiscard]] const std::string& filter() const { return filter_; }
  [[nodiscard]] bool is_typing() const { return is_typing_; }
  [[nodiscard]] bool shows_help() const { return shows_help_; }
  // The process that the view is limited to, as "dd (185)", or "dd" if it is all of its name; empty: all processes.
  [[nodiscard]] const std::string& process() const { return process_text_; }
  // The function whose stacks are shown; empty: all stacks.
  [[nodiscard]] const std::string& function() const { return function_text_; }

  // The value that shares are calculated from: the samples of the chosen part and process. total_of_all() is the value
  // of all samples in the same time.
  [[nodiscard]] std::uint64_t total() {
    update();
    return rows_.total;
  }
  [[nodiscard]] std::uint64_t total_of_all() {
    update();
    return rows_.total_of_all;
  }
  // The number of all rows, also of those cut off.
  [[nodiscard]] std::size_t row_count() {
    update();
    return rows_.count;
  }
  // The part of the table that is visible on `height` lines. The selected line is always in it.
  [[nodiscard]] std::vector<TopTableLine> lines(std::size_t height);
  // The value per second of each of these processes, or of all of their names, in each of the last `count` seconds, the
  // oldest first.
  [[nodiscard]] std::vector<std::vector<double>> histories_of(std::span<const TopTable::Index> processes,
                                                              std::size_t count) const;

 private:
  [[nodiscard]] bool on_character(char32_t character);
  void on_typing(TopKey key, char32_t character);
  void on_enter();
  void on_escape();
  void look_at(TopWhat what);
  void next_sort();
  void toggle_part(TopPart part);
  void move_to(std::size_t line);
  void move_by(std::ptrdiff_t lines);

  void update();
  void lay_out();

  TopHistory history_;

  TopWhat what_ = TopWhat::functions;
  std::array<TopSort, 3> sorts_{};
  TopPart part_ = TopPart::both;
  std::size_t window_ = 1;  // index of windows_s
  std::string filter_;
  bool is_typing_ = false;
  bool shows_help_ = false;
  bool merges_processes_ = false;
  // The chosen process and function by identity, which stays valid when the history is folded; 0: none.
  std::uint64_t process_ = 0;
  std::string process_text_;
  std::uint64_t function_ = 0;
  std::string function_text_;

  bool is_stale_ = true;  // the next two members must be calculated again
  TopRows rows_;
  std::vector<TopTableLine> lines_;

  std::set<std::uint64_t> unfolded_;
  // The row that the user has moved to, by identity. It stays selected when it moves. 0: the first line is selected,
  // whichever row is there.
  std::uint64_t held_ = 0;
  std::size_t held_frame_ = 0;  // the line within the held row: 0 is the row, then its frames
  std::size_t selected_ = 0;    // index in lines_
  std::size_t first_ = 0;       // the first visible one
  std::size_t height_ = 1;
};

}  // namespace profile
