// A function that occurs several times on a stack counts once. The order is by "self", because the changes of callees
// belong to the callees.
#include "output/flame/diff_table.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output/clean_text.h"
#include "output/flame/comparison.h"
#include "output/text_table.h"

namespace profile {
namespace {

// In the scale of the table.
struct Shares {
  double self = 0;
  double total = 0;
};

struct FunctionShares {
  std::string name;
  Shares before;
  Shares after;
  const FunctionChange* change = nullptr;  // nullptr: there are no intervals
  [[nodiscard]] double self_change() const { return after.self - before.self; }
  [[nodiscard]] double total_change() const { return after.total - before.total; }
};

double total_of(std::span<const FlameTable::Cell> cells) {
  double sum = 0;
  for (const FlameTable::Cell& cell : cells) sum += static_cast<double>(cell.value);
  return sum;
}

constexpr int digits = 2;

// How functions are compared: by their percent of the totals, because one profile may have been taken for longer; but
// memory by its bytes, because a heap that doubles keeps its shares.
class Scale {
 public:
  // `largest`: of both totals, in bytes.
  Scale(bool is_in_bytes, double largest) : largest_(is_in_bytes ? largest : 0) {}

  // `value` of `whole`, in the scale.
  [[nodiscard]] double of(double value, double whole) const { return is_in_bytes() ? value : 100 * value / whole; }
  // A change that would be printed as 0.00 %, or as little of the memory, is no change.
  [[nodiscard]] bool is_change(double change) const { return std::abs(change) >= least * unit(); }
  // Two runs of one program differ by less.
  [[nodiscard]] bool is_clear(const FunctionShares& function) const {
    if (function.change != nullptr) return function.change->is_sure();
    const double change = std::max(std::abs(function.self_change()), std::abs(function.total_change()));
    return change >= least_clear * unit();
  }
  [[nodiscard]] std::string text(double value) const {
    return is_in_bytes() ? size(value) : decimal(value, digits) + "%";
  }
  [[nodiscard]] std::string change_text(double change) const {
    const std::string text = is_in_bytes() ? size(std::abs(change)) : decimal(std::abs(change), digits);
    return !is_change(change) ? text : (change < 0 ? "-" : "+") + text;
  }
  [[nodiscard]] std::string_view words() const {
    return is_in_bytes() ? "in bytes" : "in percent of each; changes are in percentage points";
  }

 private:
  static constexpr double least = 0.005;  // percent
  static constexpr double least_clear = 0.5;

  [[nodiscard]] bool is_in_bytes() const { return largest_ != 0; }
  [[nodiscard]] double unit() const { return is_in_bytes() ? largest_ / 100 : 1; }
  static std::string size(double bytes) {
    constexpr std::string_view units[] = {" B", " kB", " MB", " GB", " TB"};
    std::size_t number = 0;
    for (; bytes >= 1000 && number + 1 < std::size(units); ++number) bytes /= 1000;
    return decimal(bytes, number == 0 ? 0 : 1).append(units[number]);
  }

  double largest_;  // 0: the scale is percent
};

class SharesByFunction {
 public:
  SharesByFunction(const FlameTable& table, bool show_modules, const Scale& scale) : table_(table), scale_(scale) {
    for (const FlameTable::Frame& frame : table.frames()) {
      std::string name(table.strings().view(frame.name));
      if (show_modules && frame.module != StringId::empty) {
        name.append(" [").append(bare_module(table.strings().view(frame.module))).append("]");
      }
      functions_.push_back({.name = std::move(name), .before = {}, .after = {}, .change = nullptr});
    }
    no_stack_ = functions_.size();
    functions_.push_back({.name = std::string(no_stack_name), .before = {}, .after = {}, .change = nullptr});
    last_cell_.resize(functions_.size());
  }

  void add(std::span<const FlameTable::Cell> cells, Shares FunctionShares::*side) {
    const double whole = total_of(cells);
    if (whole == 0) return;
    for (const FlameTable::Cell& cell : cells) {
      const double share = scale_.of(static_cast<double>(cell.value), whole);
      ++cell_;
      const bool has_stack = cell.node != FlameTable::none;
      (functions_[has_stack ? function_at(table_.blamed(cell.node)) : no_stack_].*side).self += share;
      if (!has_stack) (functions_[no_stack_].*side).total += share;
      for (FlameTable::Index node = cell.node; node != FlameTable::none; node = table_.nodes()[node].parent) {
        const std::size_t function = function_at(node);
        if (last_cell_[function] == cell_) continue;  // a recursive function counts once per cell
        last_cell_[function] = cell_;
        (functions_[function].*side).total += share;
      }
    }
  }

  void take_changes(const FlameChanges& changes) {
    for (std::size_t i = 0; i < functions_.size(); ++i) functions_[i].change = &changes.functions()[i];
  }

  [[nodiscard]] const std::vector<FunctionShares>& all() const { return functions_; }

 private:
  [[nodiscard]] std::size_t function_at(FlameTable::Index node) const { return table_.nodes()[node].frame; }

  const FlameTable& table_;
  const Scale& scale_;
  std::vector<FunctionShares> functions_;  // by frame; the last one is for cells without a stack
  std::size_t no_stack_ = 0;
  std::vector<std::uint64_t> last_cell_;  // by function: the last cell that was added to its total
  std::uint64_t cell_ = 0;
};

std::string margin_text(const ShareChange& change) {
  return change.is_known() ? decimal(100 * change.margin(), digits) : "-";
}

using ChangedFunctions = std::vector<const FunctionShares*>;

// The change of `self`; 0 if there is none, or if only that of `total` is sure.
double own_change(const FunctionShares& function, const Scale& scale) {
  const bool is_only_total = function.change != nullptr && function.change->is_sure() && !function.change->is_self_sure;
  return is_only_total || !scale.is_change(function.self_change()) ? 0 : function.self_change();
}
double leading_change(const FunctionShares& function, const Scale& scale) {
  const double own = own_change(function, scale);
  return own != 0 ? own : function.total_change();
}

// The largest changes first, by `self`, and by `total` where that is the same.
void sort_by_change(ChangedFunctions& functions, const Scale& scale) {
  std::sort(functions.begin(), functions.end(), [&](const FunctionShares* a, const FunctionShares* b) {
    const auto order = [&](const FunctionShares* function) {
      return std::pair(-std::abs(own_change(*function, scale)), -std::abs(function->total_change()));
    };
    return order(a) != order(b) ? order(a) < order(b) : a->name < b->name;
  });
}

void write_change_table(std::ostream& out, ChangedFunctions functions, const std::string& what,
                        const DiffOptions& options, const Scale& scale) {
  sort_by_change(functions, scale);
  const std::size_t shown = std::min(options.top, functions.size());
  out << top_of(shown, functions.size(), "function") << ' ' << what << '\n';
  const bool has_margins = options.changes != nullptr;
  std::vector<TextTable::Column> columns;
  for (const char* const before : {"SELF BEFORE", "TOTAL BEFORE"}) {
    columns.insert(columns.end(), {{before}, {"AFTER"}, {"CHANGE"}});
    if (has_margins) columns.push_back({"±"});
  }
  columns.push_back({"FUNCTION", TextTable::Align::left});
  TextTable table(std::move(columns));
  for (const FunctionShares* const one : std::span(functions).first(shown)) {
    std::vector<std::string> cells{scale.text(one->before.self), scale.text(one->after.self),
                                   scale.change_text(one->self_change())};
    if (has_margins) cells.push_back(margin_text(one->change->self));
    cells.insert(cells.end(),
                 {scale.text(one->before.total), scale.text(one->after.total), scale.change_text(one->total_change())});
    if (has_margins) cells.push_back(margin_text(one->change->total));
    cells.push_back(one->name);
    table.add(std::move(cells), options.is_coloured && !scale.is_clear(*one));
  }
  table.write(out);
  out << '\n';
}

void write_changed(std::ostream& out, const std::vector<FunctionShares>& functions, const DiffOptions& options,
                   const Scale& scale) {
  ChangedFunctions gained;
  ChangedFunctions lost;
  ChangedFunctions unsure;
  for (const FunctionShares& function : functions) {
    const double change = leading_change(function, scale);
    if (!scale.is_change(change)) continue;
    const bool is_sure = function.change == nullptr || function.change->is_sure();
    (!is_sure ? unsure : change > 0 ? gained : lost).push_back(&function);
  }
  const std::string surely = options.changes != nullptr ? "surely " : "";
  for (const auto& [group, verb] : {std::pair(&gained, "gained"), std::pair(&lost, "lost")}) {
    if (group->empty()) {
      out << "No function " << surely << verb << ".\n\n";
    } else {
      write_change_table(out, *group, "that " + surely + verb, options, scale);
    }
  }
  if (!unsure.empty()) write_change_table(out, unsure, "whose change may be chance", options, scale);
}

}  // namespace

void write_diff_table(std::ostream& out, const DiffSide& before, const DiffSide& after, const FlameTable& table,
                      const DiffOptions& options) {
  const auto whole = [&](const DiffSide& side) {
    std::uint64_t sum = 0;
    for (const FlameTable::Cell& cell : side.cells) sum += cell.value;
    return clean_text(side.name) + " (" + std::to_string(sum) + " " + clean_text(options.unit) + ")";
  };
  const Scale scale(options.unit == word_of(Unit::bytes) && options.changes == nullptr,
                    std::max(total_of(before.cells), total_of(after.cells)));
  out << whole(after) << " compared with " << whole(before) << ", " << scale.words() << '\n';
  if (!options.interval_note.empty()) out << clean_text(options.interval_note) << '\n';
  out << '\n';
  for (const DiffSide* side : {&before, &after}) {
    if (total_of(side->cells) == 0)
      out << "There is nothing in " << clean_text(side->name) << ": all its shares are 0.\n\n";
  }
  SharesByFunction functions(table, options.show_modules, scale);
  functions.add(before.cells, &FunctionShares::before);
  functions.add(after.cells, &FunctionShares::after);
  if (options.changes != nullptr) functions.take_changes(*options.changes);
  write_changed(out, functions.all(), options, scale);
}

}  // namespace profile
