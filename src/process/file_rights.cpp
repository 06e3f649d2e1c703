#include "process/file_rights.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <string_view>

#include "process/proc_source.h"
#include "support/text_file.h"

namespace profile {
namespace {

// File systems without a block device that take the owner of a file from nobody else.
constexpr std::string_view own_words[] = {"tmpfs", "ramfs", "btrfs", "zfs", "bcachefs", "hugetlbfs", "overlay"};

// Whether the owner that the file system tells is true, and only this owner can change the file.
bool tells_owner(const Look& look, const MappedBy& mapped_by) {
  if (!mapped_by.own_mounts || (look.found.stx_mode & S_IWOTH) != 0) return false;
  if (look.found.stx_dev_major != 0 || look.is_memory) return true;
  return std::ranges::find(own_words, look.mount.type) != std::end(own_words);
}

std::vector<std::uint32_t> numbers_of(std::string_view text) {
  std::vector<std::uint32_t> numbers;
  while (!text.empty()) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{}) numbers.push_back(number);
    text.remove_prefix(std::max<std::size_t>(1, static_cast<std::size_t>(end - text.data())));
  }
  return numbers;
}

}  // namespace

std::uint64_t content_owner_of_user(std::uint32_t uid, bool own_mounts) {
  return std::uint64_t{uid} << 1 | (own_mounts ? 0 : 1);
}

std::uint64_t content_owner(const Look& look, const MappedBy& mapped_by) {
  if (tells_owner(look, mapped_by)) return content_owner_of_user(look.found.stx_uid, true);
  // A server may tell any owner, and a file that all may write has none. The process that uses it is made to answer.
  const bool is_true = look.found.stx_dev_major != 0 || look.is_memory ||
                       std::ranges::find(own_words, look.mount.type) != std::end(own_words);
  const auto process = is_true ? std::nullopt : owner_of_process(mapped_by.tgid);
  return content_owner_of_user(process ? process->uid : look.found.stx_uid, false);
}

std::optional<ProcessRights> rights_of_process(std::uint32_t tgid) {
  const auto status = read_text_file("/proc/" + std::to_string(tgid) + "/status");
  if (!status) return std::nullopt;
  const auto uids = find_field(*status, "Uid");
  const auto gids = find_field(*status, "Gid");
  const auto groups = find_field(*status, "Groups");
  if (!uids || !gids) return std::nullopt;
  const std::vector<std::uint32_t> users = numbers_of(*uids);
  const std::vector<std::uint32_t> own = numbers_of(*gids);
  constexpr std::size_t effective = 1;  // of real, effective, saved and file system's
  if (users.size() <= effective || own.size() <= effective) return std::nullopt;
  ProcessRights rights{.uid = users[effective], .groups = groups ? numbers_of(*groups) : std::vector<std::uint32_t>()};
  rights.groups.push_back(own[effective]);
  return rights;
}

bool may_read(std::uint32_t mode, std::uint32_t owner, std::uint32_t group,
              const std::optional<ProcessRights>& rights) {
  constexpr std::uint32_t all = S_IRUSR | S_IRGRP | S_IROTH;
  if ((mode & all) == all) return true;
  if (!rights) return false;
  if (rights->uid == 0) return true;
  if (rights->uid == owner) return (mode & S_IRUSR) != 0;
  if (std::ranges::find(rights->groups, group) != rights->groups.end()) return (mode & S_IRGRP) != 0;
  return (mode & S_IROTH) != 0;
}

}  // namespace profile
