// Joins names into a list for messages.
#pragma once

#include <string>

namespace profile {

// "a, b, c"; `name` returns the name of an item.
template <class Range, class Name>
[[nodiscard]] std::string listed(const Range& range, const Name& name) {
  std::string names;
  for (const auto& item : range) names += (names.empty() ? "" : ", ") + std::string(name(item));
  return names;
}

}  // namespace profile
