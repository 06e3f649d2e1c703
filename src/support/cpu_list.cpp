#include "support/cpu_list.h"

#include <algorithm>

#include "support/error.h"
#include "support/text_file.h"
#include "support/text_parts.h"

namespace profile {
namespace {

constexpr int highest_cpu = 65535;

// Removes the number of a CPU from the front of `text` and returns it.
std::optional<int> take_cpu(std::string_view& text) {
  const std::optional<int> number = take_number<int>(text);
  return number && *number >= 0 && *number <= highest_cpu ? number : std::nullopt;
}

// Reads the kernel's list at `path`.
CpuList read_cpu_list(const std::string& path) {
  const auto text = read_first_line(path);
  if (!text) throw Error("cannot read " + path);
  const auto cpus = parse_cpu_list(*text);
  if (!cpus) throw Error("cannot understand " + path + ": " + *text);
  return *cpus;
}

}  // namespace

std::optional<CpuList> parse_cpu_list(std::string_view text) {
  CpuList cpus;
  for (;;) {
    const auto first = take_cpu(text);
    if (!first) return std::nullopt;
    int last = *first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      const auto end = take_cpu(text);
      if (!end || *end < *first) return std::nullopt;
      last = *end;
    }
    for (int cpu = *first; cpu <= last; ++cpu) cpus.push_back(cpu);
    if (text.empty()) break;
    if (!text.starts_with(',')) return std::nullopt;
    text.remove_prefix(1);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

CpuList online_cpus() { return read_cpu_list("/sys/devices/system/cpu/online"); }

int possible_cpu_count() { return read_cpu_list("/sys/devices/system/cpu/possible").back() + 1; }

}  // namespace profile
