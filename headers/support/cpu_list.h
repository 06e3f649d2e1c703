// A set of CPU numbers as people and the kernel write it: "0,2-3".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profile {

// Ascending, without duplicates.
using CpuList = std::vector<int>;

// nullopt when `text` is not such a list: empty, a reversed range, a number beyond 65535, anything else in it.
[[nodiscard]] std::optional<CpuList> parse_cpu_list(std::string_view text);
// The kernel's list at `path` ("/sys/devices/system/cpu/online"). Throws Error when it cannot be read.
[[nodiscard]] CpuList read_cpu_list(const std::string& path);
[[nodiscard]] CpuList online_cpus();
// The number of CPUs the kernel has room for: one more than the highest possible number. At least 1.
[[nodiscard]] int possible_cpu_count();

}  // namespace profile
