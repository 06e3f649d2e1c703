// Tests who may read a file, and who decides what it says, over owners, modes and file systems.
#include "process/file_rights.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

namespace profile {
namespace {

constexpr std::uint32_t root = 0;
constexpr std::uint32_t user = 1000;
constexpr std::uint32_t other = 1001;
constexpr std::uint32_t group = 50;

Look file_of(std::uint32_t owner, unsigned mode, const char* type = nullptr) {
  Look look;
  look.found.stx_uid = owner;
  look.found.stx_mode = static_cast<unsigned short>(S_IFREG | mode);
  look.found.stx_dev_major = type == nullptr ? 8 : 0;
  if (type != nullptr) look.mount.type = type;
  return look;
}

}  // namespace

TEST_CASE("a file is read for a process only if everyone may read it, or the process's user may") {
  const std::optional<ProcessRights> of_user = ProcessRights{.uid = user, .groups = {group}};
  const std::optional<ProcessRights> of_root = ProcessRights{.uid = root, .groups = {}};
  const std::optional<ProcessRights> gone;
  struct Case {
    std::uint32_t mode, owner, group;
    bool by_user, by_root, by_gone;
  };
  const Case cases[] = {
      {0644, root, root, true, true, true},    {0755, other, other, true, true, true},
      {0600, root, root, false, true, false},  {0640, root, root, false, true, false},
      {0640, root, group, true, true, false},  {0604, root, group, false, true, false},
      {0604, other, other, true, true, false}, {0600, user, user, true, true, false},
      {0066, user, group, false, true, false}, {0711, root, root, false, true, false},
      {0000, user, group, false, true, false},
  };
  for (const Case& each : cases) {
    CAPTURE(each.mode);
    CAPTURE(each.owner);
    CHECK(may_read(S_IFREG | each.mode, each.owner, each.group, of_user) == each.by_user);
    CHECK(may_read(S_IFREG | each.mode, each.owner, each.group, of_root) == each.by_root);
    CHECK(may_read(S_IFREG | each.mode, each.owner, each.group, gone) == each.by_gone);
  }
}

TEST_CASE("the rights of a process are its effective user and all its groups") {
  const auto own = rights_of_process(static_cast<std::uint32_t>(::getpid()));
  REQUIRE(own);
  CHECK(own->uid == ::geteuid());
  CHECK(own->groups.back() == ::getegid());
  CHECK_FALSE(rights_of_process(0x7fffffff));
}

TEST_CASE("files of different users have different owners, and only root's own files have root's") {
  const MappedBy here{.own_mounts = true};
  CHECK(content_owner(file_of(root, 0755), here) == 0);
  CHECK(content_owner(file_of(root, 0755, "overlay"), here) == 0);
  CHECK(content_owner(file_of(user, 0755), here) != 0);
  CHECK(content_owner(file_of(user, 0755), here) != content_owner(file_of(other, 0755), here));
  CHECK(content_owner(file_of(user, 0755), here) == content_owner_of_user(user, true));
  // Others decide what these say.
  CHECK(content_owner(file_of(root, 0757), here) != 0);
  CHECK(content_owner(file_of(root, 0755, "fuse.sshfs"), here) != 0);
  CHECK(content_owner(file_of(root, 0755, ""), here) != 0);
  CHECK(content_owner(file_of(root, 0755), {.own_mounts = false}) != 0);
  CHECK(content_owner(file_of(user, 0755, "fuse"), here) != content_owner(file_of(user, 0755), here));
}

}  // namespace profile
