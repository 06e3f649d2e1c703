#include "support/nearest_names.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "support/ascii.h"

namespace profile {
namespace {

constexpr std::size_t most_names = 5;
// A part of a name with at least this length counts as one typing error: "switches", "misses".
constexpr std::size_t telling_part = 4;

// The number of characters to add, drop or replace, and of neighbours to exchange, to turn one into the other. Upper
// and lower case are the same.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto same = [&](std::size_t i, std::size_t j) { return to_lower(a[i]) == to_lower(b[j]); };
  std::vector<std::size_t> earlier;
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({last[j] + (same(i, j) ? 0 : 1), last[j + 1] + 1, row[j] + 1});
      const bool are_exchanged = i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j);
      if (are_exchanged) row[j + 1] = std::min(row[j + 1], earlier[j - 1] + 1);
    }
    earlier = std::exchange(last, std::move(row));
  }
  return last[b.size()];
}

// Like "cpu" in cpu-clock, or "io" in block-io.
bool is_word_of(std::string_view typed, std::string_view name) {
  const auto ends_word = [&](std::size_t at) { return at == name.size() || name[at] == '-' || name[at] == ':'; };
  for (std::size_t at = name.find(typed); at != std::string_view::npos; at = name.find(typed, at + 1)) {
    if ((at == 0 || ends_word(at - 1)) && ends_word(at + typed.size())) return true;
  }
  return false;
}

std::size_t distance(std::string_view typed, std::string_view name) {
  const std::size_t edits = edit_distance(typed, name);
  const bool is_long_part = typed.size() >= telling_part && name.find(typed) != std::string_view::npos;
  const bool is_part = is_long_part || (!typed.empty() && is_word_of(typed, name));
  return is_part ? std::min<std::size_t>(edits, 1) : edits;
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view typed, std::vector<std::string> names) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (std::string& name : names) {
    const std::size_t far = distance(typed, name);
    ranked.emplace_back(far, std::move(name));
  }
  std::sort(ranked.begin(), ranked.end());
  ranked.erase(std::unique(ranked.begin(), ranked.end()), ranked.end());

  std::vector<std::string> nearest;
  for (auto& [far, name] : ranked) {
    // If even the nearest name fits badly, more names are possible.
    const std::size_t farthest = ranked.front().first * 3 / 2;
    if (nearest.size() == most_names || far > farthest) break;
    nearest.push_back(std::move(name));
  }
  return nearest;
}

std::string suggestion(std::string_view before, const std::vector<std::string>& nearest) {
  std::string text;
  for (const std::string& name : nearest) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? text : std::string(before) + "the nearest: " + text;
}

}  // namespace profile
