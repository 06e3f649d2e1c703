// A regular expression for the names of functions, as pprof files have them (RE2's syntax without look-around, word
// boundaries and flags). Files are not trusted, so matching takes time linear in pattern and name, and a fixed amount
// in all: std::regex promises neither.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/work_budget.h"

namespace profile {

class NamePattern {
 public:
  // Throws Error for a pattern that cannot be read or is too long.
  explicit NamePattern(std::string_view pattern);

  // Whether the pattern is the whole of `name`. Throws Error when all calls together take too long.
  [[nodiscard]] bool matches(std::string_view name);

 private:
  class Compiler;

  enum class Step : std::uint8_t { letter, either, jump, at_begin, at_end };
  struct Instruction {
    Step step = Step::letter;
    // Of `either` and `jump`: where to go on, as a distance. Of `letter`: first = index in sets_.
    std::int32_t first = 0;
    std::int32_t second = 0;
  };
  using Letters = std::bitset<256>;

  // Adds the state `at`, and those that are reached from it without a letter.
  void add_state(std::size_t at, bool is_begin, bool is_end);

  std::vector<Letters> sets_;
  std::vector<Instruction> program_;  // it has matched at its end
  WorkBudget budget_;
  std::vector<std::size_t> states_;
  std::vector<std::size_t> next_;
  std::vector<bool> is_state_;
  std::vector<std::size_t> left_;
};

}  // namespace profile
