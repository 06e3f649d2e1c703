// Tests who may read a file, and who decides what it says, over owners, modes and file systems.
#include "process/file_rights.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <string>
#include <string_view>

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

TEST_CASE("only a file system that we see mounted, and that lets nobody choose owners, tells the owner of a file") {
  const MountLine disk{.device_major = 8, .type = "ext4"};
  const MountLine stick{.device_major = 8, .type = "ext4", .is_nosuid = true};
  const auto on = [](const char* type) { return MountLine{.type = type}; };
  CHECK(tells_owner(file_of(root, 0755), disk));
  CHECK(tells_owner(file_of(user, 0755), disk));
  CHECK(tells_owner(file_of(root, 0755, "overlay"), on("overlay")));
  CHECK(tells_owner(file_of(root, 0755, "btrfs"), on("btrfs")));
  // Others decide what these say.
  CHECK_FALSE(tells_owner(file_of(root, 0757), disk));
  CHECK_FALSE(tells_owner(file_of(root, 0775), disk));
  CHECK_FALSE(tells_owner(file_of(root, 0755), stick));
  CHECK_FALSE(tells_owner(file_of(root, 0755), std::nullopt));
  CHECK_FALSE(tells_owner(file_of(root, 0755, "fuse.sshfs"), on("fuse.sshfs")));
  CHECK_FALSE(tells_owner(file_of(root, 0755, "nfs4"), on("nfs4")));
  // The mount of another name space is none that we see, whatever it is called there.
  CHECK_FALSE(tells_owner(file_of(root, 0755, "overlay"), std::nullopt));
}

TEST_CASE("different users have different owners, and what only claims an owner has another one") {
  CHECK(content_owner_of_user(root, true) == 0);
  CHECK(content_owner_of_user(user, true) != content_owner_of_user(other, true));
  CHECK(content_owner_of_user(root, false) != 0);
  CHECK(content_owner_of_user(user, false) != content_owner_of_user(user, true));
  // A mount that nobody has: the process that uses the file answers for it.
  ContentOwners owners;
  Look look = file_of(root, 0755);
  look.found.stx_mnt_id = UINT64_MAX;
  const MappedBy here{.tgid = static_cast<std::uint32_t>(::getpid()), .own_mounts = true};
  CHECK(owners.of(look, here) == ((std::uint64_t{::geteuid()} + 1) << 32 | root));
  const std::uint64_t elsewhere = owners.of(look, {.own_mounts = false});
  CHECK(elsewhere > UINT32_MAX);
}

TEST_CASE("a directory is passed only by those who may search it") {
  const std::optional<ProcessRights> of_user = ProcessRights{.uid = user, .groups = {group}};
  CHECK(may_search(S_IFDIR | 0755, root, root, of_user));
  CHECK_FALSE(may_search(S_IFDIR | 0700, root, root, of_user));
  CHECK(may_search(S_IFDIR | 0700, user, root, of_user));
  CHECK(may_search(S_IFDIR | 0710, root, group, of_user));
  CHECK_FALSE(may_search(S_IFDIR | 0754, root, root, of_user));
  CHECK_FALSE(may_search(S_IFDIR | 0700, root, root, std::nullopt));
}

TEST_CASE("the users of a name space are those that its map names") {
  constexpr std::string_view map = "         0       1000          1\n         1     100000      65536\n";
  CHECK(maps_user(map, 1000));
  CHECK(maps_user(map, 100000));
  CHECK(maps_user(map, 165535));
  CHECK_FALSE(maps_user(map, 165536));
  CHECK_FALSE(maps_user(map, 1001));
  CHECK_FALSE(maps_user(map, root));
  CHECK_FALSE(maps_user("", root));
  CHECK_FALSE(maps_user("0 0", root));
  CHECK(maps_user("0 0 4294967295\n", 4294967294));
}

TEST_CASE("all users of a name space that a user has made count as this user") {
  if (::geteuid() != 0) return;
  constexpr uid_t maker = 54321;
  constexpr uid_t lent = 254321;
  // The child makes the name space as that user, and waits until it is told to go.
  int told[2];
  int ready[2];
  REQUIRE(::pipe(told) == 0);
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const bool is_made = ::setresuid(maker, maker, maker) == 0 && ::unshare(CLONE_NEWUSER) == 0;
    char word = is_made ? 'y' : 'n';
    static_cast<void>(!::write(ready[1], &word, 1));
    static_cast<void>(!::read(told[0], &word, 1));
    ::_exit(0);
  }
  char word = 'n';
  REQUIRE(::read(ready[0], &word, 1) == 1);
  if (word == 'y') {
    std::ofstream("/proc/" + std::to_string(child) + "/uid_map") << "0 " << maker << " 1\n1 " << lent << " 10\n";
    UserNamespaces namespaces;
    const auto tgid = static_cast<std::uint32_t>(child);
    CHECK(namespaces.number_of(tgid) != 0);
    CHECK(namespaces.maker_for(tgid) == maker);
    CHECK(namespaces.user_behind(lent + 9, tgid) == maker);
    CHECK(namespaces.user_behind(lent + 10, tgid) == lent + 10);
    CHECK(namespaces.user_behind(root, tgid) == root);
    ContentOwners owners;
    Look look = file_of(lent + 3, 0755);
    look.found.stx_mnt_id = UINT64_MAX;
    CHECK(owners.of(look, {.tgid = tgid, .own_mounts = false}) == content_owner_of_user(maker, false));
  } else {
    MESSAGE("users make no name spaces here");
  }
  CHECK(UserNamespaces().number_of(static_cast<std::uint32_t>(::getpid())) == 0);
  CHECK(UserNamespaces().maker_for(static_cast<std::uint32_t>(::getpid())) == 0);
  REQUIRE(::write(told[1], &word, 1) == 1);
  ::waitpid(child, nullptr, 0);
  for (const int fd : {told[0], told[1], ready[0], ready[1]}) ::close(fd);
}

}  // namespace profile
