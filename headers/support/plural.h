// Numbers with a noun: "1 wait", "2 waits". Use it for every count in a message that can be one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace profile {

// `many` is the plural if it is not `one` with an s.
[[nodiscard]] inline std::string plural(std::uint64_t count, std::string_view one, std::string_view many = {}) {
  if (count == 1) return std::string(one);
  return many.empty() ? std::string(one) + 's' : std::string(many);
}
[[nodiscard]] inline std::string number_of(std::uint64_t count, std::string_view one, std::string_view many = {}) {
  return std::to_string(count) + ' ' + plural(count, one, many);
}

}  // namespace profile
