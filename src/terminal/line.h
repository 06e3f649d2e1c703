// Builds one line of the screen of --top: appends texts and columns, and cuts them off at the end of the line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "terminal/page.h"
#include "terminal/text.h"

namespace profile {

class TopLineMaker {
 public:
  TopLineMaker(std::size_t width, bool unicode) : width_(width), unicode_(unicode) {}

  [[nodiscard]] std::size_t room() const { return width_ - used_; }

  // Adds as much of the text as there is room for.
  void add(std::string_view text, TopStyle style = TopStyle::plain) { put(fitted(text, room(), unicode_), style); }
  // Adds a column of `width`, or narrower if there is less room.
  void add_left(std::string_view text, std::size_t width, TopStyle style = TopStyle::plain) {
    put(left_aligned(text, std::min(width, room()), unicode_), style);
  }
  void add_right(std::string_view text, std::size_t width, TopStyle style = TopStyle::plain) {
    put(right_aligned(text, std::min(width, room()), unicode_), style);
  }
  // Adds the whole word or nothing, with two blanks before it unless it is the first.
  void add_word(std::string_view text, TopStyle style = TopStyle::plain) {
    const std::string word = fitted(text, width_, unicode_);
    const std::size_t blanks = used_ == 0 ? 0 : 2;
    if (columns_of(word) + blanks > room()) return;
    put(std::string(blanks, ' '), TopStyle::plain);
    put(word, style);
  }
  // Adds the text at the right end of the line, if there is room for all of it.
  void add_at_end(std::string_view text) {
    const std::string word = fitted(text, width_, unicode_);
    const std::size_t columns = columns_of(word);
    if (columns + 1 > room()) return;
    put(std::string(room() - columns, ' ') + word, TopStyle::plain);
  }
  void fill(TopStyle style) { put(std::string(room(), ' '), style); }

  [[nodiscard]] TopLine take(bool is_selected = false) {
    line_.is_selected = is_selected;
    return std::move(line_);
  }

 private:
  void put(std::string text, TopStyle style) {
    if (text.empty()) return;
    used_ += columns_of(text);
    line_.spans.push_back({.text = std::move(text), .style = style});
  }

  TopLine line_;
  std::size_t width_;
  std::size_t used_ = 0;
  bool unicode_;
};

}  // namespace profile
