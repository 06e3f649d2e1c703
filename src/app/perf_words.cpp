// Accepts words that users of perf type out of habit.
#include <algorithm>
#include <cstddef>
#include <string_view>

#include "app/options.h"
#include "app/parsed_options.h"

namespace profile {
namespace {

constexpr char graph = 'g';

const OptionRow* row_of(char letter) {
  const auto rows = option_rows();
  const auto row = std::ranges::find(rows, letter, &OptionRow::short_name);
  return row == rows.end() ? nullptr : &*row;
}

// Whether the word after a -g shows that the -g is perf's: another option, or a duration.
bool is_no_pattern(std::string_view word) {
  return (word.starts_with('-') && word != "-") || parse_seconds(word).has_value();
}

bool is_switch(char letter) {
  const OptionRow* const row = row_of(letter);
  return row != nullptr && row->argument.empty();
}

// Removes perf's -g from one word of option letters. `next` is the word after it, or nullptr. `takes_next` becomes true
// if the last letter takes `next` as its value.
bool take_out(std::string& letters, const std::string* next, bool& takes_next) {
  bool found = false;
  for (std::size_t i = 1; i < letters.size();) {
    const OptionRow* const row = row_of(letters[i]);
    if (row == nullptr) return found;
    const std::string_view rest = std::string_view(letters).substr(i + 1);
    if (letters[i] == graph) {
      const bool has_pattern =
          rest.empty() ? next != nullptr && !is_no_pattern(*next) : !std::all_of(rest.begin(), rest.end(), is_switch);
      if (!has_pattern) {
        letters.erase(i, 1);
        found = true;
        continue;
      }
    }
    if (!row->argument.empty()) {
      takes_next = rest.empty();
      return found;
    }
    ++i;
  }
  return found;
}

}  // namespace

bool take_out_perf_graph(std::vector<std::string>& words) {
  bool found = false;
  for (std::size_t i = 0; i < words.size();) {
    std::string& word = words[i];
    const bool is_short = word.size() > 1 && word[0] == '-' && word[1] != '-';
    bool takes_next = false;
    if (is_short) found = take_out(word, i + 1 < words.size() ? &words[i + 1] : nullptr, takes_next) || found;
    if (word == "-" && is_short) {
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      i += takes_next ? 2 : 1;
    }
  }
  return found;
}

}  // namespace profile
