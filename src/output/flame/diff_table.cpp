// A function that occurs several times on a stack counts once. The order is by "self", because the changes of callees
// belong to the callees.
#include "output/flame/diff_table.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string_view>
#include <vector>

#include "output/clean_text.h"
#include "output/flame/comparison.h"
#include "output/text_table.h"

namespace profile {
namespace {

// In percent of the totals.
struct Shares {
  double self = 0;
  double total = 0;
};

struct FunctionShares {
  std::string name;
  Shares before;
  Shares after;
  [[nodiscard]] double self_change() const { return after.self - before.self; }
  [[nodiscard]] double total_change() const { return after.total - before.total; }
};

// A change that would be printed as 0.00 is no change.
constexpr int digits = 2;
constexpr double least_change = 0.005;
// Two runs of one program differ by as much.
constexpr double least_clear_change = 0.5;
bool is_change(double points) { return std::abs(points) >= least_change; }

bool is_clear(const FunctionShares& function) {
  return std::max(std::abs(function.self_change()), std::abs(function.total_change())) >= least_clear_change;
}

double total_of(std::span<const FlameTable::Cell> cells) {
  double sum = 0;
  for (const FlameTable::Cell& cell : cells) sum += static_cast<double>(cell.value);
  return sum;
}

class SharesByFunction {
 public:
  SharesByFunction(const FlameTable& table, bool show_modules) : table_(table) {
    for (const FlameTable::Frame& frame : table.frames()) {
      std::string name(table.strings().view(frame.name));
      if (show_modules && frame.module != StringId::empty) {
        name.append(" [").append(bare_module(table.strings().view(frame.module))).append("]");
      }
      functions_.push_back({.name = std::move(name), .before = {}, .after = {}});
    }
    no_stack_ = functions_.size();
    functions_.push_back({.name = std::string(no_stack_name), .before = {}, .after = {}});
    last_cell_.resize(functions_.size());
  }

  void add(std::span<const FlameTable::Cell> cells, Shares FunctionShares::*side) {
    const double whole = total_of(cells);
    if (whole == 0) return;
    for (const FlameTable::Cell& cell : cells) {
      const double share = 100 * static_cast<double>(cell.value) / whole;
      ++cell_;
      const bool has_stack = cell.node != FlameTable::none;
      (functions_[has_stack ? function_at(cell.node) : no_stack_].*side).self += share;
      if (!has_stack) (functions_[no_stack_].*side).total += share;
      for (FlameTable::Index node = cell.node; node != FlameTable::none; node = table_.nodes()[node].parent) {
        const std::size_t function = function_at(node);
        if (last_cell_[function] == cell_) continue;  // a recursive function counts once per cell
        last_cell_[function] = cell_;
        (functions_[function].*side).total += share;
      }
    }
  }

  [[nodiscard]] const std::vector<FunctionShares>& all() const { return functions_; }

 private:
  [[nodiscard]] std::size_t function_at(FlameTable::Index node) const { return table_.nodes()[node].frame; }

  const FlameTable& table_;
  std::vector<FunctionShares> functions_;  // by frame; the last one is for cells without a stack
  std::size_t no_stack_ = 0;
  std::vector<std::uint64_t> last_cell_;  // by function: the last cell that was added to its total
  std::uint64_t cell_ = 0;
};

std::string points(double change) {
  const std::string text = decimal(std::abs(change), digits);
  return !is_change(change) ? text : (change < 0 ? "-" : "+") + text;
}

std::string share(double percent) { return decimal(percent, digits) + "%"; }

// `sign`: 1 for functions that gained, -1 for functions that lost.
void write_changed(std::ostream& out, const std::vector<FunctionShares>& functions, int sign,
                   const DiffOptions& options) {
  std::vector<const FunctionShares*> changed;
  for (const FunctionShares& function : functions) {
    const double change = is_change(function.self_change()) ? function.self_change() : function.total_change();
    if (is_change(change) && (change > 0) == (sign > 0)) changed.push_back(&function);
  }
  const std::string_view what = sign > 0 ? "gained" : "lost";
  if (changed.empty()) {
    out << "No function " << what << ".\n\n";
    return;
  }
  std::sort(changed.begin(), changed.end(), [sign](const FunctionShares* a, const FunctionShares* b) {
    const auto order = [sign](const FunctionShares* function) {
      const double self = is_change(function->self_change()) ? function->self_change() : 0;
      return std::pair(-sign * self, -sign * function->total_change());
    };
    return order(a) != order(b) ? order(a) < order(b) : a->name < b->name;
  });
  const std::size_t shown = std::min(options.top, changed.size());
  out << top_of(shown, changed.size(), "function") << " that " << what << '\n';
  TextTable table({{"SELF BEFORE"},
                   {"AFTER"},
                   {"CHANGE"},
                   {"TOTAL BEFORE"},
                   {"AFTER"},
                   {"CHANGE"},
                   {"FUNCTION", TextTable::Align::left}});
  for (const FunctionShares* const one : std::span(changed).first(shown)) {
    table.add({share(one->before.self), share(one->after.self), points(one->self_change()), share(one->before.total),
               share(one->after.total), points(one->total_change()), one->name},
              options.is_coloured && !is_clear(*one));
  }
  table.write(out);
  out << '\n';
}

}  // namespace

void write_diff_table(std::ostream& out, const DiffSide& before, const DiffSide& after, const FlameTable& table,
                      const DiffOptions& options) {
  const auto whole = [&](const DiffSide& side) {
    std::uint64_t sum = 0;
    for (const FlameTable::Cell& cell : side.cells) sum += cell.value;
    return clean_text(side.name) + " (" + std::to_string(sum) + " " + clean_text(options.unit) + ")";
  };
  out << whole(after) << " compared with " << whole(before)
      << ", in percent of each; changes are in percentage points\n\n";
  for (const DiffSide* side : {&before, &after}) {
    if (total_of(side->cells) == 0)
      out << "There is nothing in " << clean_text(side->name) << ": all its shares are 0.\n\n";
  }
  SharesByFunction functions(table, options.show_modules);
  functions.add(before.cells, &FunctionShares::before);
  functions.add(after.cells, &FunctionShares::after);
  write_changed(out, functions.all(), 1, options);
  write_changed(out, functions.all(), -1, options);
}

}  // namespace profile
