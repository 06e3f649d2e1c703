// Calculates the rows of the tables: adds them up, filters and sorts them, and selects the visible part.
#include <algorithm>
#include <functional>
#include <unordered_map>

#include "support/ascii.h"
#include "terminal/model.h"

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

}  // namespace

std::uint64_t TopModel::identity_of(TopTable::Index process) const {
  const TopTable::Process& one = table().processes()[process];
  return merges_processes_ ? one.name_identity : one.identity;
}

void TopModel::update() {
  if (!is_stale_) return;
  is_stale_ = false;
  const TopRecording& recording = history_.shown();
  std::vector<FlameTable::Cell> cells = window_s() == 0 ? table().history().total() : recording.last_cells(window_s());
  total_of_all_ = sum_of(cells);
  keep_only(cells, table(), part_);
  std::erase_if(cells, [this](const FlameTable::Cell& cell) {
    return process_ != 0 && identity_of(table().process_of(cell.owner)) != process_;
  });
  total_ = sum_of(cells);
  rows_.clear();
  if (what_ == TopWhat::functions) {
    update_functions(cells);
  } else if (what_ == TopWhat::processes) {
    update_processes(cells);
  } else {
    update_stacks(cells);
  }
  sort_rows();
  lay_out();
}

void TopModel::update_functions(std::span<const FlameTable::Cell> cells) {
  const std::vector<TopSum> sums = function_sums(table(), cells);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].total == 0) continue;
    const TopTable::Function& function = table().functions()[i];
    if (!contains(table().view(function.name), filter_) && !contains(table().view(function.module), filter_)) continue;
    rows_.push_back({.identity = function.identity, .item = static_cast<TopTable::Index>(i), .value = sums[i]});
  }
}

void TopModel::update_processes(std::span<const FlameTable::Cell> cells) {
  const std::vector<std::uint64_t> sums = process_sums(table(), cells);
  std::unordered_map<std::uint64_t, std::size_t> places;  // by identity
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] == 0) continue;
    const auto index = static_cast<TopTable::Index>(i);
    const TopTable::Process& process = table().processes()[i];
    const bool has_pid = !merges_processes_ && contains(pid_text(process), filter_);
    if (!contains(table().view(process.name), filter_) && !has_pid) continue;
    const auto [place, is_new] = places.try_emplace(identity_of(index), rows_.size());
    if (is_new) rows_.push_back({.identity = place->first, .item = index, .value = {}, .processes = 0});
    TopRow& row = rows_[place->second];
    row.value.self += sums[i];
    row.value.total += sums[i];
    ++row.processes;
  }
}

void TopModel::update_stacks(std::span<const FlameTable::Cell> cells) {
  const auto& functions = table().functions();
  const auto& nodes = table().nodes();
  // For each function, and then for each stack: whether it contains the filter text, and whether it has the chosen
  // function.
  std::vector<bool> passes(functions.size());
  for (std::size_t i = 0; i < functions.size(); ++i) {
    passes[i] =
        contains(table().view(functions[i].name), filter_) || contains(table().view(functions[i].module), filter_);
  }
  std::vector<bool> stack_passes(nodes.size());
  std::vector<bool> has_function(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const TopTable::Node& node = nodes[i];
    const bool has_parent = node.parent != TopTable::none;
    stack_passes[i] = passes[node.function] || (has_parent && stack_passes[node.parent]);
    has_function[i] = functions[node.function].identity == function_ || (has_parent && has_function[node.parent]);
  }
  for (const TopStackSum& sum : stack_sums(table(), cells)) {
    const bool has_stack = sum.node != TopTable::none;
    const std::uint64_t stack = has_stack ? nodes[sum.node].identity : 0;
    const bool is_asked_for =
        function_ == 0 || (has_stack ? has_function[sum.node] : functions[table().no_stack()].identity == function_);
    const std::string_view process = table().view(sum.process);
    if (!is_asked_for || !((has_stack && stack_passes[sum.node]) || contains(process, filter_))) continue;
    rows_.push_back({.identity = stack * 31 + std::hash<std::string_view>()(process),
                     .item = sum.node,
                     .process = sum.process,
                     .value = {.self = sum.value, .total = sum.value}});
  }
}

std::string_view TopModel::name_of(const TopRow& row) const {
  if (what_ == TopWhat::functions) return table().view(table().functions()[row.item].name);
  return table().view(what_ == TopWhat::processes ? table().processes()[row.item].name : row.process);
}

void TopModel::sort_rows() {
  row_count_ = rows_.size();
  const auto before = [this](const TopRow& a, const TopRow& b) {
    const TopSort by = sort();
    if (by == TopSort::self && a.value.self != b.value.self) return a.value.self > b.value.self;
    if (by != TopSort::name && a.value.total != b.value.total) return a.value.total > b.value.total;
    if (by == TopSort::total && a.value.self != b.value.self) return a.value.self > b.value.self;
    // Rows with equal values must keep their order from one second to the next.
    const int order = name_of(a).compare(name_of(b));
    if (order != 0) return order < 0;
    return by == TopSort::name && a.value.self != b.value.self ? a.value.self > b.value.self : a.identity < b.identity;
  };
  const std::size_t shown = std::min(rows_.size(), most_rows);
  std::partial_sort(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(shown), rows_.end(), before);
  rows_.resize(shown);
}

// Makes lines from rows and frames, and finds the new place of the selected row.
void TopModel::lay_out() {
  lines_.clear();
  std::size_t held_line = SIZE_MAX;
  for (const TopRow& row : rows_) {
    const std::size_t line = lines_.size();
    lines_.push_back({.row = &row});
    if (what_ == TopWhat::stacks && unfolded_.contains(row.identity)) {
      for (TopTable::Index at = row.item; at != TopTable::none; at = table().nodes()[at].parent) {
        lines_.push_back({.row = &row, .node = at, .is_frame = true});
      }
    }
    if (row.identity == held_) held_line = std::min(line + held_frame_, lines_.size() - 1);
  }
  if (held_line != SIZE_MAX) {
    selected_ = held_line;
  } else if (held_ == 0) {
    selected_ = 0;
  } else {
    // The held row is not there now: the row in its place is selected until it is back.
    selected_ = std::min(selected_, lines_.empty() ? 0 : lines_.size() - 1);
  }
}

std::vector<TopTableLine> TopModel::lines(std::size_t height) {
  update();
  height_ = std::max<std::size_t>(height, 1);
  const std::size_t last = lines_.size() > height_ ? lines_.size() - height_ : 0;
  first_ = std::min(first_, last);
  if (selected_ < first_) first_ = selected_;
  if (selected_ >= first_ + height_) first_ = selected_ - height_ + 1;
  std::vector<TopTableLine> seen;
  for (std::size_t i = first_; i < lines_.size() && seen.size() < height_; ++i) {
    seen.push_back(lines_[i]);
    seen.back().is_selected = i == selected_;
  }
  return seen;
}

std::vector<std::vector<double>> TopModel::histories_of(std::span<const TopTable::Index> processes,
                                                        std::size_t count) const {
  std::unordered_map<std::uint64_t, std::size_t> places;  // by identity
  for (const TopTable::Index process : processes) places.try_emplace(identity_of(process), places.size());
  const auto& ticks = history_.shown().ticks();
  const std::size_t from = ticks.size() - std::min(count, ticks.size());
  std::vector<std::vector<double>> histories(processes.size(), std::vector<double>(ticks.size() - from));
  for (std::size_t i = from; i < ticks.size(); ++i) {
    if (ticks[i].duration_s <= 0) continue;
    for (const FlameTable::Cell& cell : ticks[i].cells) {
      const auto place = places.find(identity_of(table().process_of(cell.owner)));
      if (place == places.end() || !is_part(cell, table(), part_)) continue;
      histories[place->second][i - from] += static_cast<double>(cell.value) / ticks[i].duration_s;
    }
  }
  return histories;
}

}  // namespace profile
