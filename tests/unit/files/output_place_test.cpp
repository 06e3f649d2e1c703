// Tests where the path of an output leads: through links that may be followed, and not through those of other users.
// The root of the tests is taken for different callers, because a caller is only a number here.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "files/place.h"

using namespace profile;
namespace fs = std::filesystem;

namespace {

constexpr uid_t stranger = 65534;

class Tree {
 public:
  Tree() {
    std::string name = (fs::temp_directory_path() / "profile-place.XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = fs::canonical(name);
  }
  ~Tree() { fs::remove_all(path_); }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] std::string directory(const std::string& name, mode_t mode = 0755) const {
    const std::string path = *this / name;
    fs::create_directory(path);
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    return path;
  }
  void file(const std::string& name) const { std::ofstream(*this / name) << "x"; }
  void link(const std::string& target, const std::string& name) const { fs::create_symlink(target, *this / name); }
  void give_away(const std::string& name) const { REQUIRE(::lchown((*this / name).c_str(), stranger, stranger) == 0); }

 private:
  std::string path_;
};

Caller me() { return {.uid = ::geteuid(), .sudo = {}}; }

// The path that a descriptor leads to.
std::string path_of(const Fd& fd) { return fs::read_symlink("/proc/self/fd/" + std::to_string(fd.get())).string(); }

std::string whole(const Place& place) { return path_of(place.directory) + "/" + place.name; }

bool is_refused(const Place& place, const std::string& words) {
  return place.failure.error == EPERM && place.failure.why.find(words) != std::string::npos && !place.file;
}

}  // namespace

TEST_CASE("a path leads to its directory and its last name, which may be missing") {
  const Tree tree;
  static_cast<void>(tree.directory("a"));
  tree.file("a/there");
  for (const char* name : {"a/there", "./a//there", "a/../a/./there", "a/absent"}) {
    CAPTURE(name);
    const Place place = find_file(tree / name, me());
    CHECK(place.failure.error == 0);
    CHECK(path_of(place.directory) == tree / "a");
    CHECK(place.name == fs::path(name).filename());
    CHECK(static_cast<bool>(place.file) == (place.name == "there"));
    CHECK_FALSE(place.is_shared);
  }
}

TEST_CASE("links of one's own are followed, also to a file that is missing") {
  const Tree tree;
  static_cast<void>(tree.directory("a"));
  static_cast<void>(tree.directory("b"));
  tree.link("../b", "a/relative");
  tree.link(tree / "b", "a/absolute");
  tree.link("absent", "b/dangling");
  tree.link("../a/relative/dangling", "b/chain");
  CHECK(whole(find_file(tree / "a/relative/x", me())) == tree / "b/x");
  CHECK(whole(find_file(tree / "a/absolute/x", me())) == tree / "b/x");
  CHECK(whole(find_file(tree / "a/relative/dangling", me())) == tree / "b/absent");
  CHECK(whole(find_file(tree / "b/chain", me())) == tree / "b/absent");
}

TEST_CASE("what is no place of a file is an error, as open(2) has it") {
  const Tree tree;
  static_cast<void>(tree.directory("a"));
  tree.file("file");
  tree.link("loop", "loop");
  const auto error_of = [](const std::string& path) { return find_file(path, me()).failure.error; };
  CHECK(error_of("") == ENOENT);
  CHECK(error_of("/") == EISDIR);
  CHECK(error_of(".") == EISDIR);
  CHECK(error_of("..") == EISDIR);
  CHECK(error_of(tree / "a") == EISDIR);
  CHECK(error_of(tree / "new/") == EISDIR);
  CHECK(error_of(tree / "a/..") == EISDIR);
  CHECK(error_of(tree / "none/x") == ENOENT);
  CHECK(error_of(tree / "file/x") == ENOTDIR);
  CHECK(error_of(tree / "loop") == ELOOP);
  CHECK(error_of(tree / "loop/x") == ELOOP);
  CHECK(error_of(tree / std::string(300, 'x')) == ENAMETOOLONG);
  CHECK(error_of(std::string(5000, '/') + "x") == ENAMETOOLONG);
}

TEST_CASE("a descriptor's path leads to what is open") {
  const Tree tree;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const Fd reader(ends[0]);
  const Fd writer(ends[1]);
  const Place place = find_file("/proc/self/fd/" + std::to_string(writer.get()), me());
  CHECK(place.failure.error == 0);
  CHECK_FALSE(place.directory);
  struct stat found {};
  REQUIRE(::fstat(place.file.get(), &found) == 0);
  CHECK(S_ISFIFO(found.st_mode));
  const Fd directory(::open(tree.directory("d").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  CHECK(whole(find_file("/proc/self/fd/" + std::to_string(directory.get()) + "/x", me())) == tree / "d/x");
}

TEST_CASE("a link of another user is refused where others may write") {
  if (::geteuid() != 0) return;
  const Tree tree;
  static_cast<void>(tree.directory("safe"));
  static_cast<void>(tree.directory("safe/target"));
  for (const mode_t mode : {mode_t{01777}, mode_t{0777}, mode_t{0775}, mode_t{0755}}) {
    CAPTURE(mode);
    fs::remove_all(tree / "shared");
    static_cast<void>(tree.directory("shared", mode));
    tree.link("../safe/target", "shared/directory");
    tree.link("../safe/target/file", "shared/file");
    tree.link("shared/file", "indirect");
    CHECK(whole(find_file(tree / "shared/file", me())) == tree / "safe/target/file");
    tree.give_away("shared/directory");
    tree.give_away("shared/file");
    const bool is_safe = mode == 0755;
    const std::string link = "the link " + (tree / "shared/");
    CHECK(is_refused(find_file(tree / "shared/file", me()), link + "file belongs to user 65534") != is_safe);
    CHECK(is_refused(find_file(tree / "shared/directory/x", me()), link + "directory belongs") != is_safe);
    CHECK(is_refused(find_directory(tree / "shared/directory", {}, me()), link + "directory belongs") != is_safe);
    CHECK(is_refused(find_file(tree / "indirect", me()), link + "file belongs") != is_safe);
    // Its own user may follow it.
    CHECK(find_file(tree / "shared/file", {.uid = stranger, .sudo = {}}).failure.error == 0);
    CHECK(find_file(tree / "shared/file", {.uid = 0, .sudo = Caller::Sudo{.uid = stranger, .gid = 0}}).failure.error ==
          0);
    fs::remove(tree / "indirect");
  }
  // A directory of that user is as bad, also if only the owner may write it.
  tree.give_away("shared");
  CHECK(is_refused(find_file(tree / "shared/file", me()), "the link "));
}

TEST_CASE("a file of another user, or one with two names, is refused where others may write") {
  if (::geteuid() != 0) return;
  const Tree tree;
  static_cast<void>(tree.directory("shared", 01777));
  static_cast<void>(tree.directory("own"));
  for (const char* directory : {"shared/", "own/"}) {
    CAPTURE(directory);
    const std::string in = directory;
    const bool is_shared = in == "shared/";
    tree.file(in + "mine");
    CHECK(find_file(tree / (in + "mine"), me()).failure.error == 0);
    fs::create_hard_link(tree / (in + "mine"), tree / (in + "second"));
    CHECK(is_refused(find_file(tree / (in + "second"), me()), "a hard link") == is_shared);
    tree.file(in + "theirs");
    tree.give_away(in + "theirs");
    CHECK(is_refused(find_file(tree / (in + "theirs"), me()), "the file belongs to user 65534") == is_shared);
    REQUIRE(::mkfifo((tree / (in + "fifo")).c_str(), 0666) == 0);
    CHECK(find_file(tree / (in + "fifo"), me()).failure.error == 0);
    tree.give_away(in + "fifo");
    CHECK(is_refused(find_file(tree / (in + "fifo"), me()), "the file belongs to user 65534") == is_shared);
    const Place place = find_directory(tree / in, {}, me());
    CHECK((refusal_to_replace(place, "theirs", me()).error == EPERM) == is_shared);
    CHECK(refusal_to_replace(place, "mine", me()).error == 0);
    CHECK(refusal_to_replace(place, "absent", me()).error == 0);
  }
}

TEST_CASE("missing directories are made after the fixed part of the path only") {
  const Tree tree;
  const std::string path = tree / "a/b/c";
  CHECK(find_directory(path, {}, me()).failure.error == ENOENT);
  CHECK(find_directory(path, {.made_from = (tree / "a/").size()}, me()).failure.error == ENOENT);
  CHECK_FALSE(fs::exists(tree / "a"));
  CHECK(path_of(find_directory(path, {.made_from = (tree / "").size()}, me()).directory) == path);
  // Not where a link leads to.
  tree.link("absent", "link");
  CHECK(find_directory(tree / "link", {.made_from = (tree / "").size()}, me()).failure.error == ENOENT);
  CHECK_FALSE(fs::exists(tree / "absent"));
}

TEST_CASE("a directory that is made belongs to the caller of sudo, and one that was there does not change") {
  if (::geteuid() != 0) return;
  const Tree tree;
  const Caller caller{.uid = 0, .sudo = Caller::Sudo{.uid = stranger, .gid = 100}};
  static_cast<void>(tree.directory("old"));
  const DirectoryNeeds needs{.made_from = (tree / "").size()};
  CHECK(find_directory(tree / "old/new/newer", needs, caller).failure.error == 0);
  struct stat status {};
  REQUIRE(::stat((tree / "old").c_str(), &status) == 0);
  CHECK(status.st_uid == 0);
  for (const char* name : {"old/new", "old/new/newer"}) {
    REQUIRE(::stat((tree / name).c_str(), &status) == 0);
    CHECK(status.st_uid == stranger);
    CHECK(status.st_gid == 100);
  }
}

TEST_CASE("the caller of sudo counts only for root, and only as two numbers") {
  const auto sudo_of = [](uid_t uid, const char* sudo_uid, const char* sudo_gid) {
    return caller_of(uid, sudo_uid, sudo_gid).sudo;
  };
  REQUIRE(sudo_of(0, "1000", "1001"));
  CHECK(sudo_of(0, "1000", "1001")->uid == 1000);
  CHECK(sudo_of(0, "1000", "1001")->gid == 1001);
  CHECK_FALSE(sudo_of(1, "1000", "1001"));
  CHECK_FALSE(sudo_of(0, "0", "0"));
  CHECK_FALSE(sudo_of(0, nullptr, "1001"));
  CHECK_FALSE(sudo_of(0, "1000", nullptr));
  for (const char* bad : {"", "x", "-1", "+1", " 1", "1 ", "1x", "4294967295", "4294967296", "99999999999999999999"}) {
    CAPTURE(bad);
    CHECK_FALSE(sudo_of(0, bad, "1001"));
    CHECK_FALSE(sudo_of(0, "1000", bad));
  }
  const Caller caller = caller_of(0, "1000", "1001");
  CHECK(caller.is_own(0));
  CHECK(caller.is_own(1000));
  CHECK_FALSE(caller.is_own(1001));
  const Caller user = caller_of(7, nullptr, nullptr);
  CHECK(user.trusts(0));
  CHECK_FALSE(user.is_own(0));
  CHECK(user.is_own(7));
  CHECK_FALSE(user.trusts(8));
}
