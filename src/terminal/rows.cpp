#include "terminal/rows.h"

#include <algorithm>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>

#include "support/ascii.h"

namespace profile {
namespace {

// Ignores the case of ASCII letters; all other bytes must be equal.
bool contains(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char a, char b) { return to_lower(a) == to_lower(b); }) != text.end();
}

std::uint64_t sum_of(std::span<const FlameTable::Cell> cells) {
  std::uint64_t sum = 0;
  for (const FlameTable::Cell& cell : cells) sum += cell.value;
  return sum;
}

class RowSelection {
 public:
  RowSelection(const TopTable& table, const TopChoice& choice) : table_(table), choice_(choice) {}

  void add(std::span<const FlameTable::Cell> cells) {
    if (choice_.what == TopWhat::functions) {
      add_functions(cells);
    } else if (choice_.what == TopWhat::processes) {
      add_processes(cells);
    } else {
      add_stacks(cells);
    }
  }
  // Returns the first rows of all, in their order.
  [[nodiscard]] std::vector<TopRow> take_first(std::size_t count);
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  void add_functions(std::span<const FlameTable::Cell> cells);
  void add_processes(std::span<const FlameTable::Cell> cells);
  void add_stacks(std::span<const FlameTable::Cell> cells);
  [[nodiscard]] bool passes(const TopTable::Function& function) const {
    return contains(table_.view(function.name), choice_.filter) ||
           contains(table_.view(function.module), choice_.filter);
  }
  [[nodiscard]] std::string_view name_of(const TopRow& row) const;

  const TopTable& table_;
  const TopChoice& choice_;
  std::vector<TopRow> rows_;
};

void RowSelection::add_functions(std::span<const FlameTable::Cell> cells) {
  const std::vector<TopSum> sums = function_sums(table_, cells);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].total == 0) continue;
    const TopTable::Function& function = table_.functions()[i];
    if (!passes(function)) continue;
    rows_.push_back({.identity = function.identity, .item = static_cast<TopTable::Index>(i), .value = sums[i]});
  }
}

void RowSelection::add_processes(std::span<const FlameTable::Cell> cells) {
  const std::vector<std::uint64_t> sums = process_sums(table_, cells);
  std::unordered_map<std::uint64_t, std::size_t> places;  // by identity
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] == 0) continue;
    const auto index = static_cast<TopTable::Index>(i);
    const TopTable::Process& process = table_.processes()[i];
    const bool has_pid = !choice_.merges_processes && contains(pid_text(process), choice_.filter);
    if (!contains(table_.view(process.name), choice_.filter) && !has_pid) continue;
    const auto [place, is_new] = places.try_emplace(identity_of(table_, index, choice_.merges_processes), rows_.size());
    if (is_new) rows_.push_back({.identity = place->first, .item = index, .value = {}, .processes = 0});
    TopRow& row = rows_[place->second];
    row.value.self += sums[i];
    row.value.total += sums[i];
    ++row.processes;
  }
}

void RowSelection::add_stacks(std::span<const FlameTable::Cell> cells) {
  const auto& functions = table_.functions();
  const auto& nodes = table_.nodes();
  // For each function, and then for each stack: whether it contains the filter text, and whether it has the chosen
  // function.
  std::vector<bool> function_passes(functions.size());
  for (std::size_t i = 0; i < functions.size(); ++i) function_passes[i] = passes(functions[i]);
  std::vector<bool> stack_passes(nodes.size());
  std::vector<bool> has_function(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const TopTable::Node& node = nodes[i];
    const bool has_parent = node.parent != TopTable::none;
    stack_passes[i] = function_passes[node.function] || (has_parent && stack_passes[node.parent]);
    has_function[i] =
        functions[node.function].identity == choice_.function || (has_parent && has_function[node.parent]);
  }
  for (const TopStackSum& sum : stack_sums(table_, cells)) {
    const bool has_stack = sum.node != TopTable::none;
    const std::uint64_t stack = has_stack ? nodes[sum.node].identity : 0;
    const bool is_asked_for =
        choice_.function == 0 ||
        (has_stack ? has_function[sum.node] : functions[table_.no_stack()].identity == choice_.function);
    const std::string_view process = table_.view(sum.process);
    if (!is_asked_for || !((has_stack && stack_passes[sum.node]) || contains(process, choice_.filter))) continue;
    rows_.push_back({.identity = stack * 31 + std::hash<std::string_view>()(process),
                     .item = sum.node,
                     .process = sum.process,
                     .value = {.self = sum.value, .total = sum.value}});
  }
}

std::string_view RowSelection::name_of(const TopRow& row) const {
  if (choice_.what == TopWhat::functions) return table_.view(table_.functions()[row.item].name);
  return table_.view(choice_.what == TopWhat::processes ? table_.processes()[row.item].name : row.process);
}

std::vector<TopRow> RowSelection::take_first(std::size_t count) {
  const auto before = [this](const TopRow& a, const TopRow& b) {
    const TopSort by = choice_.sort;
    if (by == TopSort::self && a.value.self != b.value.self) return a.value.self > b.value.self;
    if (by != TopSort::name && a.value.total != b.value.total) return a.value.total > b.value.total;
    if (by == TopSort::total && a.value.self != b.value.self) return a.value.self > b.value.self;
    // Rows with equal values must keep their order from one second to the next.
    const int order = name_of(a).compare(name_of(b));
    if (order != 0) return order < 0;
    return by == TopSort::name && a.value.self != b.value.self ? a.value.self > b.value.self : a.identity < b.identity;
  };
  const std::size_t shown = std::min(rows_.size(), count);
  std::partial_sort(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(shown), rows_.end(), before);
  rows_.resize(shown);
  return std::exchange(rows_, {});
}

}  // namespace

std::uint64_t identity_of(const TopTable& table, TopTable::Index process, bool merges_processes) {
  const TopTable::Process& one = table.processes()[process];
  return merges_processes ? one.name_identity : one.identity;
}

TopRows top_rows(const TopRecording& recording, const TopChoice& choice) {
  const TopTable& table = recording.table;
  std::vector<FlameTable::Cell> cells =
      choice.window_s == 0 ? table.history().total() : recording.last_cells(choice.window_s);
  TopRows found;
  found.total_of_all = sum_of(cells);
  keep_only(cells, table, choice.part);
  std::erase_if(cells, [&](const FlameTable::Cell& cell) {
    return choice.process != 0 &&
           identity_of(table, table.process_of(cell.owner), choice.merges_processes) != choice.process;
  });
  found.total = sum_of(cells);
  RowSelection selection(table, choice);
  selection.add(cells);
  found.count = selection.size();
  found.rows = selection.take_first(TopRows::most);
  return found;
}

}  // namespace profile
