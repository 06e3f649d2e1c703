// A set of CPU numbers in the form that people and the kernel write: "0,2-3".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profile {

// Ascending, without duplicates.
using CpuList = std::vector<int>;

// nullopt when `text` is no such list: it is empty, or it has a reversed range, a number above 65535 or another
// character.
[[nodiscard]] std::optional<CpuList> parse_cpu_list(std::string_view text);
// Throws Error when the kernel's list cannot be read or parsed; so does possible_cpu_count().
[[nodiscard]] CpuList online_cpus();
// One more than the highest CPU number that this kernel can have. At least 1.
[[nodiscard]] int possible_cpu_count();

}  // namespace profile
