// The unit of a run's values: a fact that programs decide by, and a word for people and files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace profile {

// `events`: what is counted has a name of its own, as "page-faults". Nothing is known of it but this word.
enum class Unit : std::uint8_t { samples, calls, hits, bytes, microseconds, nanoseconds, events };
inline constexpr std::string_view unit_words[] = {"samples",      "calls",       "hits",  "bytes",
                                                  "microseconds", "nanoseconds", "events"};

[[nodiscard]] constexpr std::string_view word_of(Unit unit) { return unit_words[static_cast<std::size_t>(unit)]; }
// Whether values are numbers of something, and no amounts.
[[nodiscard]] constexpr bool is_count(Unit unit) { return unit < Unit::bytes || unit == Unit::events; }

// A unit with its word. Words that Unit has no name for are those of events.
class RunUnit {
 public:
  RunUnit& operator=(Unit unit) { return *this = word_of(unit); }
  RunUnit& operator=(std::string_view word) {
    const auto* const known = std::ranges::find(unit_words, word);
    kind_ = known == std::end(unit_words) ? Unit::events : static_cast<Unit>(known - std::begin(unit_words));
    word_ = word;
    return *this;
  }

  [[nodiscard]] Unit kind() const { return kind_; }
  [[nodiscard]] const std::string& word() const { return word_; }
  friend bool operator==(const RunUnit& a, const RunUnit& b) { return a.word_ == b.word_; }
  friend bool operator==(const RunUnit& a, Unit b) { return a.kind_ == b; }

 private:
  Unit kind_ = Unit::samples;
  std::string word_ = "samples";
};

}  // namespace profile
