#include "support/memory_limit.h"

#include <algorithm>
#include <string_view>

#include "support/text_file.h"
#include "support/text_parts.h"

namespace profile {
namespace {

// `file` is a limit in the folder of each group. "max" is no number, and so no limit.
std::uint64_t least_in(const std::string& hierarchy, std::string_view group, const std::string& file) {
  std::uint64_t least = UINT64_MAX;
  for (;;) {
    while (group.ends_with('/')) group.remove_suffix(1);
    std::string path = hierarchy;
    path += group;
    path += file;
    const auto bytes = read_number(path);
    if (bytes && *bytes >= 0) least = std::min(least, static_cast<std::uint64_t>(*bytes));
    if (group.empty()) return least;
    group = group.substr(0, group.rfind('/') + 1);
  }
}

}  // namespace

std::uint64_t memory_limit_bytes(const std::string& groups_of_process, const std::string& hierarchies) {
  const std::string text = read_text_file(groups_of_process).value_or("");
  std::uint64_t least = UINT64_MAX;
  for (std::string_view lines = text; !lines.empty();) {
    std::string_view group = take_until(lines, '\n');
    const std::string_view number = take_until(group, ':');
    const std::string_view controllers = take_until(group, ':');
    if (!group.starts_with('/')) continue;
    if (number == "0") {
      for (const char* mixed : {"", "/unified"})
        least = std::min(least, least_in(hierarchies + mixed, group, "/memory.max"));
    } else if (controllers == "memory") {
      least = std::min(least, least_in(hierarchies + "/memory", group, "/memory.limit_in_bytes"));
    }
  }
  return least;
}

}  // namespace profile
