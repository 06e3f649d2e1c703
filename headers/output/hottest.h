// The answer in a few lines: which functions did most of what was measured, of whatever source and unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/profile.h"

namespace profile {

struct HotFunction {
  std::string name;         // clean, as are all texts here
  std::string module;       // "libc.so.6", "[kernel]"; empty when not known
  std::uint64_t self = 0;   // of the rows that it is the leaf of
  std::uint64_t total = 0;  // of those it stands in, however often
};

// Of a symbolised profile, the one with the most of its own first. The selves of all add up to the profile's total.
[[nodiscard]] std::vector<HotFunction> hottest_functions(const Profile& profile);
// The first `most` of them as a table with its title, a line each, without newlines; none when nothing was recorded.
[[nodiscard]] std::vector<std::string> hottest_lines(const Profile& profile, std::size_t most);

}  // namespace profile
