#include "process/owner.h"

#include <charconv>
#include <string>
#include <string_view>

#include "support/text_file.h"

namespace profile {
namespace {

std::optional<std::uint32_t> to_number(std::string_view word) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{}) return std::nullopt;
  return number;
}

}  // namespace

std::optional<ProcessOwner> owner_of_process(std::uint32_t tgid) {
  const auto status = read_text_file("/proc/" + std::to_string(tgid) + "/status");
  if (!status) return std::nullopt;
  const auto uids = find_field(*status, "Uid");
  const auto numbers = find_field(*status, "NStgid");
  if (!uids || !numbers) return std::nullopt;
  const auto uid = to_number(*uids);
  const auto innermost = to_number(numbers->substr(numbers->find_last_of(" \t") + 1));
  if (!uid || !innermost) return std::nullopt;
  return ProcessOwner{.uid = *uid, .innermost_tgid = *innermost};
}

}  // namespace profile
