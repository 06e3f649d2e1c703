// Formats the table of --top. Columns are as wide as their contents need; the names take the rest of the line.
#include <algorithm>
#include <string_view>

#include "output/text_table.h"
#include "terminal/line.h"
#include "terminal/page.h"
#include "terminal/text.h"

namespace profile {
namespace {

constexpr std::size_t most_history_columns = 60;
constexpr std::size_t share_columns = 6;
constexpr std::size_t value_columns = 9;
constexpr std::size_t pid_columns = 7;

// The width of a column and the blank after it.
constexpr std::size_t behind(std::size_t columns) { return columns + 1; }

class Table {
 public:
  Table(TopModel& model, const RunInfo& run, std::size_t width, bool unicode)
      : model_(model), run_(run), width_(width), unicode_(unicode) {}

  std::vector<TopLine> lines(std::size_t height) {
    std::vector<TopLine> lines;
    if (height >= 2) lines.push_back(heading());
    const std::vector<TopTableLine> rows = model_.lines(height - lines.size());
    if (rows.empty()) lines.push_back(nothing());
    std::vector<std::vector<double>> histories;
    if (model_.what() == TopWhat::processes) histories = histories_of(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      TopLineMaker made = line();
      if (rows[i].is_frame) {
        add_frame(made, rows[i].node);
      } else {
        add_values(made, rows[i].row->value);
        if (model_.what() == TopWhat::functions) {
          add_function(made, rows[i].row->item, function_columns());
        } else if (model_.what() == TopWhat::processes) {
          add_process(made, *rows[i].row, histories[i]);
        } else {
          add_stack(made, *rows[i].row);
        }
      }
      lines.push_back(made.take(rows[i].is_selected));
    }
    return lines;
  }

 private:
  [[nodiscard]] TopLineMaker line() const { return {width_, unicode_}; }

  [[nodiscard]] TopLine nothing() const {
    TopLineMaker made = line();
    if (!model_.filter().empty()) {
      made.add("Nothing here has \"" + model_.filter() + "\" in it.");
    } else {
      made.add(model_.history().shown().ticks().empty() ? "Nothing was sampled yet."
                                                        : "Nothing was sampled in this time.");
    }
    return made.take();
  }

  [[nodiscard]] std::size_t module_columns() const { return std::clamp<std::size_t>(width_ / 5, 8, 30); }
  [[nodiscard]] std::size_t function_columns() const {
    const std::size_t others = 2 * behind(share_columns) + behind(value_columns) + behind(module_columns());
    return width_ > others + 12 ? width_ - others : 0;  // 0: no room for the module
  }
  [[nodiscard]] std::size_t history_columns() const {
    const std::size_t others = behind(share_columns) + behind(value_columns) + behind(pid_columns);
    const std::size_t room = width_ > others ? width_ - others : 0;
    return room < 30 ? 0 : std::min(most_history_columns, room - std::max<std::size_t>(17, room / 3));
  }
  [[nodiscard]] std::size_t process_columns() const { return width_ < 60 ? 8 : 15; }

  // Highlights the column that the table is sorted by.
  [[nodiscard]] TopLine heading() const {
    TopLineMaker made = line();
    const auto style = [this](TopSort sort) { return model_.sort() == sort ? TopStyle::chosen : TopStyle::heading; };
    const auto gap = [&made] { made.add(" ", TopStyle::heading); };
    made.add_right(model_.what() == TopWhat::functions ? "SELF" : "SHARE", share_columns, style(TopSort::self));
    gap();
    if (model_.what() == TopWhat::functions) {
      made.add_right("TOTAL", share_columns, style(TopSort::total));
      gap();
    }
    made.add_right(unit_heading(), value_columns, TopStyle::heading);
    gap();
    if (model_.what() == TopWhat::functions) {
      made.add("FUNCTION", style(TopSort::name));
      const std::size_t columns = function_columns();
      if (columns != 0) {
        made.add(std::string(columns - std::min(columns, std::string_view("FUNCTION").size()) + 1, ' '),
                 TopStyle::heading);
        made.add("MODULE", TopStyle::heading);
      }
    } else if (model_.what() == TopWhat::processes) {
      made.add_right(model_.merges_processes() ? "COUNT" : "PID", pid_columns, TopStyle::heading);
      gap();
      made.add("NAME", style(TopSort::name));
    } else {
      made.add("PROCESS", style(TopSort::name));
      made.add(std::string(behind(process_columns()) - std::string_view("PROCESS").size(), ' '), TopStyle::heading);
      made.add(unicode_ ? "STACK, leaf ← root" : "STACK, leaf < root", TopStyle::heading);
    }
    made.fill(TopStyle::heading);
    return made.take();
  }

  [[nodiscard]] std::string unit_heading() const {
    if (run_.unit == Unit::microseconds) return "TIME";
    if (run_.unit == Unit::nanoseconds || run_.unit == Unit::events) return "COUNT";
    std::string text = run_.unit.word();
    std::transform(text.begin(), text.end(), text.begin(), [](char c) { return static_cast<char>(c - 'a' + 'A'); });
    return text;
  }

  [[nodiscard]] static TopStyle style_of(FlameKind kind) {
    if (kind == FlameKind::kernel) return TopStyle::kernel;
    return kind == FlameKind::jit ? TopStyle::jit : TopStyle::plain;
  }

  void add_share(TopLineMaker& made, std::uint64_t value) const {
    const auto part = static_cast<double>(value);
    const auto whole = static_cast<double>(model_.total());
    made.add_right(percent(value, model_.total()), share_columns, heat_of(part, whole));
    made.add(" ");
  }
  // Highlights large shares.
  [[nodiscard]] static TopStyle heat_of(double part, double whole) {
    constexpr double hot = 0.2;
    constexpr double warm = 0.05;
    if (whole <= 0 || part < warm * whole) return TopStyle::plain;
    return part < hot * whole ? TopStyle::warm : TopStyle::hot;
  }
  void add_values(TopLineMaker& made, const TopSum& value) const {
    add_share(made, value.self);
    if (model_.what() == TopWhat::functions) add_share(made, value.total);
    made.add_right(amount(static_cast<double>(value.self), run_.unit.kind()), value_columns);
    made.add(" ");
  }

  // Adds the name in `columns`, and behind it the module. 0: the name takes the rest of the line.
  void add_function(TopLineMaker& made, TopTable::Index index, std::size_t columns) const {
    const TopTable& table = model_.table();
    const TopTable::Function& function = table.functions()[index];
    made.add_left(table.view(function.name), columns == 0 ? made.room() : columns, style_of(function.kind));
    made.add(" ");
    made.add(table.view(function.module), style_of(function.kind));
  }

  [[nodiscard]] std::vector<std::vector<double>> histories_of(const std::vector<TopTableLine>& rows) const {
    std::vector<TopTable::Index> processes;
    processes.reserve(rows.size());
    for (const TopTableLine& at : rows) processes.push_back(at.row->item);
    return model_.histories_of(processes, history_columns());
  }

  void add_process(TopLineMaker& made, const TopRow& row, const std::vector<double>& history) const {
    const TopTable::Process& process = model_.table().processes()[row.item];
    made.add_right(model_.merges_processes() ? std::to_string(row.processes) : pid_text(process), pid_columns);
    made.add(" ");
    const std::size_t columns = history_columns();
    made.add_left(model_.table().view(process.name), made.room() - columns - (columns == 0 ? 0 : 1));
    if (columns != 0) {
      made.add(" ");
      made.add_right(sparkline(history, *std::max_element(history.begin(), history.end()), unicode_), columns);
    }
  }

  void add_stack(TopLineMaker& made, const TopRow& row) const {
    const TopTable& table = model_.table();
    made.add_left(table.view(row.process), process_columns());
    for (TopTable::Index i = row.item; i != TopTable::none && made.room() != 0; i = table.nodes()[i].parent) {
      made.add(i == row.item ? " " : unicode_ ? " ← " : " < ");
      const TopTable::Function& function = table.functions()[table.nodes()[i].function];
      made.add(table.view(function.name), style_of(function.kind));
    }
    if (row.item == TopTable::none) made.add(" " + std::string(no_stack_name));
  }

  void add_frame(TopLineMaker& made, TopTable::Index node) const {
    made.add(std::string(behind(share_columns) + behind(value_columns) + 2, ' '));
    const std::size_t module = module_columns();
    add_function(made, model_.table().nodes()[node].function, made.room() > module + 12 ? made.room() - module - 1 : 0);
  }

  TopModel& model_;
  const RunInfo& run_;
  std::size_t width_;
  bool unicode_;
};

}  // namespace

std::vector<TopLine> top_table_lines(TopModel& model, const RunInfo& run, std::size_t width, std::size_t height,
                                     bool unicode) {
  return Table(model, run, width, unicode).lines(height);
}

}  // namespace profile
