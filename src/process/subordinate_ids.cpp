#include "process/subordinate_ids.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "support/text_file.h"
#include "support/text_parts.h"

namespace profile {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 20;
constexpr std::uint32_t first_of_people = 1000;

std::unordered_map<std::string_view, std::uint32_t> users_in(std::string_view passwd) {
  std::unordered_map<std::string_view, std::uint32_t> users;
  while (!passwd.empty()) {
    std::string_view line = take_until(passwd, '\n');
    const std::string_view name = take_until(line, ':');
    take_until(line, ':');
    if (const auto uid = parse_number<std::uint32_t>(take_until(line, ':'))) users.try_emplace(name, *uid);
  }
  return users;
}

}  // namespace

std::vector<SubordinateRange> subordinate_ranges(std::string_view subuid, std::string_view passwd) {
  std::vector<SubordinateRange> ranges;
  std::unordered_map<std::string_view, std::uint32_t> users = users_in(passwd);
  while (!subuid.empty()) {
    std::string_view line = take_until(subuid, '\n');
    const std::string_view name = take_until(line, ':');
    const auto first = parse_number<std::uint32_t>(take_until(line, ':'));
    const auto count = parse_number<std::uint32_t>(line);
    if (name.empty() || !first || !count || *first == 0) continue;
    const std::uint32_t user =
        users.try_emplace(name, parse_number<std::uint32_t>(name).value_or(*first)).first->second;
    if (user >= first_of_people) ranges.push_back({.user = user, .first = *first, .count = *count});
  }
  return ranges;
}

SubordinateIds::SubordinateIds(std::string subuid, std::string passwd)
    : subuid_{.path = std::move(subuid)}, passwd_{.path = std::move(passwd)} {}

bool SubordinateIds::has_changed(Source& source) {
  struct stat now {};
  if (::stat(source.path.c_str(), &now) != 0) now = {};
  const struct stat before = std::exchange(source.seen, now);
  return now.st_ino != before.st_ino || now.st_size != before.st_size || now.st_mtim.tv_sec != before.st_mtim.tv_sec ||
         now.st_mtim.tv_nsec != before.st_mtim.tv_nsec;
}

std::uint32_t SubordinateIds::user_of(std::uint32_t uid) {
  if (uid < first_of_people) return uid;
  const bool is_other = has_changed(subuid_), are_others = has_changed(passwd_);
  if (!std::exchange(is_read_, true) || is_other || are_others) {
    ranges_ = subordinate_ranges(read_text_file(subuid_.path, most_bytes).value_or(""),
                                 read_text_file(passwd_.path, most_bytes).value_or(""));
  }
  const auto range = std::ranges::find_if(
      ranges_, [uid](const SubordinateRange& each) { return uid - each.first < each.count && uid >= each.first; });
  return range == ranges_.end() ? uid : range->user;
}

}  // namespace profile
