#include "process/file_rights.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

#include "process/proc_source.h"
#include "support/text_file.h"

namespace profile {
namespace {

// File systems without a block device that take the owner of a file from nobody else.
constexpr std::string_view own_words[] = {"tmpfs", "ramfs",    "rootfs",    "btrfs",
                                          "zfs",   "bcachefs", "hugetlbfs", "overlay"};
constexpr unsigned bits_of_user = 32;

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

bool tells_owner(const Look& look, const std::optional<MountLine>& own_mount) {
  if ((look.found.stx_mode & (S_IWGRP | S_IWOTH)) != 0) return false;
  if (look.is_memory) return true;
  if (!own_mount || own_mount->is_nosuid) return false;
  return look.found.stx_dev_major != 0 || std::ranges::find(own_words, own_mount->type) != std::end(own_words);
}

std::uint64_t content_owner_of_user(std::uint32_t uid, bool own_mounts) {
  return own_mounts ? uid : (std::uint64_t{uid} + 1) << bits_of_user | uid;
}

std::uint64_t ContentOwners::of(const Look& look, const MappedBy& mapped_by) {
  const std::uint32_t claimed = look.found.stx_uid;
  const auto own_mount = mapped_by.own_mounts ? mounts_.find(look.found.stx_mnt_id) : std::nullopt;
  if (mapped_by.own_mounts && tells_owner(look, own_mount)) return namespaces_.user_behind(claimed, mapped_by.tgid);
  if (const std::uint32_t maker = namespaces_.maker_for(mapped_by.tgid)) return content_owner_of_user(maker, false);
  const auto process = owner_of_process(mapped_by.tgid);
  return (std::uint64_t{process ? process->uid : UINT32_MAX - 1} + 1) << bits_of_user | namespaces_.user_of(claimed);
}

std::optional<ProcessRights> rights_of_process(std::uint32_t tgid) {
  const auto status = status_of_process(tgid);
  return status ? rights_in_status(*status) : std::nullopt;
}

std::optional<ProcessRights> rights_in_status(std::string_view status) {
  const auto uids = find_field(status, "Uid");
  const auto gids = find_field(status, "Gid");
  const auto groups = find_field(status, "Groups");
  if (!uids || !gids) return std::nullopt;
  const std::vector<std::uint32_t> users = numbers_of(*uids);
  const std::vector<std::uint32_t> own = numbers_of(*gids);
  constexpr std::size_t all = 4;  // real, effective, saved and the file system's
  if (users.size() < all || own.size() < all) return std::nullopt;
  // A program that runs with its owner's rights was started by somebody who has not these rights.
  const auto is_other = [](const std::vector<std::uint32_t>& ids) { return ids[1] != ids[0] || ids[2] != ids[0]; };
  if (is_other(users) || is_other(own)) return std::nullopt;
  ProcessRights rights{.uid = users[0], .groups = groups ? numbers_of(*groups) : std::vector<std::uint32_t>()};
  rights.groups.push_back(own[0]);
  return rights;
}

namespace {

// `everyone`: the permission of all three, of which one applies to each user.
bool may(std::uint32_t everyone, std::uint32_t mode, std::uint32_t owner, std::uint32_t group,
         const std::optional<ProcessRights>& rights) {
  if ((mode & everyone) == everyone) return true;
  if (!rights) return false;
  if (rights->uid == 0) return true;
  if (rights->uid == owner) return (mode & everyone & S_IRWXU) != 0;
  if (std::ranges::find(rights->groups, group) != rights->groups.end()) return (mode & everyone & S_IRWXG) != 0;
  return (mode & everyone & S_IRWXO) != 0;
}

}  // namespace

bool may_read(std::uint32_t mode, std::uint32_t owner, std::uint32_t group,
              const std::optional<ProcessRights>& rights) {
  return may(S_IRUSR | S_IRGRP | S_IROTH, mode, owner, group, rights);
}

bool may_search(std::uint32_t mode, std::uint32_t owner, std::uint32_t group,
                const std::optional<ProcessRights>& rights) {
  return may(S_IXUSR | S_IXGRP | S_IXOTH, mode, owner, group, rights);
}

}  // namespace profile
