// What stands in the tables of --top and what the keys do to it. Knows nothing of a terminal but how many rows it has.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/history.h"
#include "terminal/sums.h"

namespace profile {

enum class TopWhat : std::uint8_t { functions, processes, stacks };
enum class TopSort : std::uint8_t { self, total, name };  // self is the share of what has no total

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

struct TopRow {
  std::uint64_t identity = 0;             // the same from one second to the next
  TopTable::Index item = TopTable::none;  // the function, the process or the node
  StringId process = StringId::empty;     // of a stack, its process's name
  TopSum value;                           // of processes and stacks both are the same
};
// One of a table: a row, or below an unfolded stack one of its frames, leaf first.
struct TopTableLine {
  const TopRow* row = nullptr;
  TopTable::Index node = TopTable::none;  // of the frame
  bool is_frame = false;
  bool is_selected = false;
};

class TopModel {
 public:
  // Tables end at this many rows: nobody scrolls further, and a second's work has an end.
  static constexpr std::size_t most_rows = 1000;

  TopModel() = default;
  explicit TopModel(const TopHistory::Limits& limits) : history_(limits) {}

  void add(const Profile& profile);
  // False: the person wants to quit. `character` goes with TopKey::character.
  [[nodiscard]] bool on_key(TopKey key, char32_t character = 0);

  [[nodiscard]] const TopHistory& history() const { return history_; }
  [[nodiscard]] const TopTable& table() const { return history_.table(); }

  [[nodiscard]] TopWhat what() const { return what_; }
  [[nodiscard]] TopSort sort() const { return sorts_[static_cast<std::size_t>(what_)]; }
  [[nodiscard]] TopPart part() const { return part_; }
  [[nodiscard]] double window_s() const;  // 0: since the start
  [[nodiscard]] const std::string& filter() const { return filter_; }
  [[nodiscard]] bool is_typing() const { return is_typing_; }
  [[nodiscard]] bool shows_help() const { return shows_help_; }
  // "dd (185)"; empty: all are shown.
  [[nodiscard]] const std::string& process() const { return process_text_; }
  // Whose stacks are shown; empty: all.
  [[nodiscard]] const std::string& function() const { return function_text_; }

  // The whole of which shares are told, and what was sampled with it in the same time.
  [[nodiscard]] std::uint64_t total();
  [[nodiscard]] std::uint64_t total_of_all();
  // Of all rows, those cut off by most_rows too.
  [[nodiscard]] std::size_t row_count();
  // The part of the table that is seen on `height` lines, the selected one always among them.
  [[nodiscard]] std::vector<TopTableLine> lines(std::size_t height);
  // How many lines are above it.
  [[nodiscard]] std::size_t first_line() const { return first_; }
  // What each of these processes had in each of the last `count` seconds, in a second, the oldest first.
  [[nodiscard]] std::vector<std::vector<double>> histories_of(std::span<const TopTable::Index> processes,
                                                              std::size_t count) const;
  // When what is shown since the start begins, in seconds from the start: later for stacks, and what is made of them,
  // when the table was renewed since.
  [[nodiscard]] double start_s() const { return knows_before_stacks() ? 0 : history_.shown().stacks_began_s; }

 private:
  [[nodiscard]] bool on_character(char32_t character);
  void on_typing(TopKey key, char32_t character);
  void on_enter();
  void on_escape();
  void look_at(TopWhat what);
  void next_sort();
  void toggle_part(TopPart part);
  void toggle_pause();
  void move_to(std::size_t line);
  void move_by(std::ptrdiff_t lines);

  void update();
  void update_functions(std::span<const FlameTable::Cell> cells);
  void update_processes(std::span<const FlameTable::Cell> cells);
  void update_stacks(std::span<const FlameTable::Cell> cells);
  [[nodiscard]] bool knows_before_stacks() const;
  [[nodiscard]] TopTable::Index chosen_process() const;
  void sort_rows();
  void lay_out();
  [[nodiscard]] std::string_view name_of(const TopRow& row) const;

  TopHistory history_;

  TopWhat what_ = TopWhat::functions;
  std::array<TopSort, 3> sorts_{};
  TopPart part_ = TopPart::both;
  std::size_t window_ = 1;  // of the table of windows
  std::string filter_;
  bool is_typing_ = false;
  bool shows_help_ = false;
  // By identity, which stays true when the table is renewed; 0: none.
  std::uint64_t process_ = 0;
  std::string process_text_;
  std::uint64_t function_ = 0;
  std::string function_text_;

  bool is_stale_ = true;  // the following are to be made anew
  std::vector<TopRow> rows_;
  std::size_t row_count_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t total_of_all_ = 0;
  std::vector<TopTableLine> lines_;

  std::set<std::uint64_t> unfolded_;
  // What the person has moved to; it stays selected wherever it goes. 0: the first line, whatever stands there.
  std::uint64_t held_ = 0;
  std::size_t held_frame_ = 0;  // and which line of it
  std::size_t selected_ = 0;    // of lines_
  std::size_t first_ = 0;
  std::size_t height_ = 1;
};

}  // namespace profile
