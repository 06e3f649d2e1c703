// Handles the keys of --top. Their effect appears when the table is next requested.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "output/clean_text.h"
#include "terminal/model.h"

namespace profile {
namespace {

constexpr std::array<double, 5> windows_s = {1, 5, 15, 60, 0};
constexpr std::size_t most_filter_bytes = 200;

void append_utf8(std::string& out, char32_t c) {
  const auto byte = [&out](char32_t value) { out += static_cast<char>(static_cast<unsigned char>(value)); };
  constexpr std::array<char32_t, 4> first_bytes = {0, 0xc0, 0xe0, 0xf0};  // by the number of bytes that follow
  const std::size_t following = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  byte(first_bytes[following] | c >> 6 * following);
  for (std::size_t i = following; i-- > 0;) byte(0x80U | (c >> 6 * i & 0x3fU));
}

void remove_last_character(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0U) == 0x80U) text.pop_back();
  if (!text.empty()) text.pop_back();
}

}  // namespace

void TopModel::add(const Profile& profile) {
  history_.add(profile);
  if (!history_.is_paused()) is_stale_ = true;
}

void TopModel::merge_processes(bool is) {
  merges_processes_ = is;
  // The chosen process, and the selected one, are of the other kind.
  process_ = 0;
  process_text_.clear();
  if (what_ == TopWhat::processes) held_ = 0;
  is_stale_ = true;
}

double TopModel::window_s() const { return windows_s[window_]; }

bool TopModel::on_key(TopKey key, char32_t character) {
  if (is_typing_) {
    on_typing(key, character);
    return true;
  }
  if (shows_help_) {
    shows_help_ = false;
    const bool closes = key != TopKey::character || character == U'?' || character == U'h' || character == U' ';
    if (closes) return true;
  }
  if (key == TopKey::character) return on_character(character);
  const auto page = static_cast<std::ptrdiff_t>(std::max<std::size_t>(height_, 2) - 1);
  if (key == TopKey::up) move_by(-1);
  if (key == TopKey::down) move_by(1);
  if (key == TopKey::page_up) move_by(-page);
  if (key == TopKey::page_down) move_by(page);
  if (key == TopKey::home) held_ = selected_ = 0;
  if (key == TopKey::end) {
    update();
    move_to(lines_.empty() ? 0 : lines_.size() - 1);
  }
  if (key == TopKey::enter) on_enter();
  if (key == TopKey::escape) on_escape();
  if (key == TopKey::tab) look_at(static_cast<TopWhat>((static_cast<int>(what_) + 1) % 3));
  if (key == TopKey::tab_back) look_at(static_cast<TopWhat>((static_cast<int>(what_) + 2) % 3));
  return true;
}

bool TopModel::on_character(char32_t character) {
  const auto is_one_of = [character](std::u32string_view keys) { return keys.find(character) != keys.npos; };
  if (is_one_of(U"qQ")) return false;
  if (is_one_of(U"fF1")) look_at(TopWhat::functions);
  if (is_one_of(U"pP2")) look_at(TopWhat::processes);
  if (is_one_of(U"S3")) look_at(TopWhat::stacks);
  if (is_one_of(U"s")) next_sort();
  if (is_one_of(U"w")) window_ = (window_ + 1) % windows_s.size();
  if (is_one_of(U"W")) window_ = (window_ + windows_s.size() - 1) % windows_s.size();
  if (is_one_of(U"k")) toggle_part(TopPart::kernel);
  if (is_one_of(U"u")) toggle_part(TopPart::user);
  if (is_one_of(U"m")) merge_processes(!merges_processes_);
  if (is_one_of(U"/")) is_typing_ = true;
  if (is_one_of(U" ")) history_.toggle_pause();
  if (is_one_of(U"h?")) shows_help_ = true;
  if (is_one_of(U"fF1pP2S3swWkum/ h?")) is_stale_ = true;
  return true;
}

void TopModel::on_typing(TopKey key, char32_t character) {
  if (key == TopKey::enter) {
    is_typing_ = false;
  } else if (key == TopKey::escape) {
    is_typing_ = false;
    filter_.clear();
  } else if (key == TopKey::backspace) {
    remove_last_character(filter_);
  } else if (key == TopKey::character && filter_.size() < most_filter_bytes) {
    std::string typed;
    append_utf8(typed, character);
    if (clean_text(typed) == typed) filter_ += typed;
  } else if (key == TopKey::up || key == TopKey::down) {
    move_by(key == TopKey::up ? -1 : 1);
  }
  is_stale_ = true;
}

// Goes one step into the selected row.
void TopModel::on_enter() {
  update();
  if (lines_.empty()) return;
  const TopRow& row = *lines_[selected_].row;
  const TopTable& names = table();
  if (what_ == TopWhat::processes) {
    const TopTable::Process& process = names.processes()[row.item];
    process_ = identity_of(names, row.item, merges_processes_);
    process_text_ = names.view(process.name);
    if (!merges_processes_) process_text_ += " (" + pid_text(process) + ')';
    filter_.clear();
    look_at(TopWhat::functions);
  } else if (what_ == TopWhat::functions) {
    const TopTable::Function& function = names.functions()[row.item];
    function_ = function.identity;
    function_text_ = names.view(function.name);
    filter_.clear();
    look_at(TopWhat::stacks);
  } else {
    if (unfolded_.erase(row.identity) == 0) unfolded_.insert(row.identity);
    held_ = row.identity;
    held_frame_ = 0;
    is_stale_ = true;
  }
}

// Takes the latest step back.
void TopModel::on_escape() {
  if (!filter_.empty()) {
    filter_.clear();
  } else if (function_ != 0) {
    look_at(TopWhat::functions);
  } else if (process_ != 0) {
    process_ = 0;
    process_text_.clear();
    look_at(TopWhat::processes);
  }
  is_stale_ = true;
}

void TopModel::look_at(TopWhat what) {
  if (what != what_) {
    held_ = 0;
    held_frame_ = 0;
    selected_ = 0;
    first_ = 0;
    unfolded_.clear();
  }
  if (what != TopWhat::stacks) {
    function_ = 0;
    function_text_.clear();
  }
  what_ = what;
  is_stale_ = true;
}

void TopModel::next_sort() {
  TopSort& sort = sorts_[static_cast<std::size_t>(what_)];
  sort = sort == TopSort::name                                  ? TopSort::self
         : sort == TopSort::self && what_ == TopWhat::functions ? TopSort::total
                                                                : TopSort::name;
}

void TopModel::toggle_part(TopPart part) { part_ = part_ == part ? TopPart::both : part; }

void TopModel::move_by(std::ptrdiff_t lines) {
  update();
  const auto last = static_cast<std::ptrdiff_t>(lines_.size()) - 1;
  const auto to = static_cast<std::ptrdiff_t>(selected_) + lines;
  move_to(static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(to, 0, std::max<std::ptrdiff_t>(last, 0))));
}

void TopModel::move_to(std::size_t line) {
  if (lines_.empty()) return;
  selected_ = line;
  held_ = line == 0 ? 0 : lines_[line].row->identity;
  held_frame_ = 0;
  while (held_frame_ < line && lines_[line - held_frame_].is_frame) ++held_frame_;
}

void TopModel::update() {
  if (!std::exchange(is_stale_, false)) return;
  rows_ = top_rows(history_.shown(), {.what = what_,
                                      .sort = sort(),
                                      .part = part_,
                                      .window_s = window_s(),
                                      .filter = filter_,
                                      .merges_processes = merges_processes_,
                                      .process = process_,
                                      .function = function_});
  lay_out();
}

// Makes lines from rows and frames, and finds the new place of the selected row.
void TopModel::lay_out() {
  lines_.clear();
  std::size_t held_line = SIZE_MAX;
  for (const TopRow& row : rows_.rows) {
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
  const auto identity = [this](TopTable::Index process) { return identity_of(table(), process, merges_processes_); };
  std::unordered_map<std::uint64_t, std::size_t> places;  // by identity
  for (const TopTable::Index process : processes) places.try_emplace(identity(process), places.size());
  const auto& ticks = history_.shown().ticks();
  const std::size_t from = ticks.size() - std::min(count, ticks.size());
  std::vector<std::vector<double>> histories(processes.size(), std::vector<double>(ticks.size() - from));
  for (std::size_t i = from; i < ticks.size(); ++i) {
    if (ticks[i].duration_s <= 0) continue;
    for (const FlameTable::Cell& cell : ticks[i].cells) {
      const auto place = places.find(identity(table().process_of(cell.owner)));
      if (place == places.end() || !is_part(cell, table(), part_)) continue;
      histories[place->second][i - from] += static_cast<double>(cell.value) / ticks[i].duration_s;
    }
  }
  return histories;
}

}  // namespace profile
