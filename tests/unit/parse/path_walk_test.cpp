// Tests the walk to a file as another process would find it, over closed directories and links.
#include "parse/path_walk.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "elf_fixture.h"

using namespace profile;
using namespace profile::test;
namespace fs = std::filesystem;

namespace {

// A root directory with open/file and closed/file. `closed` is open only to its owner, who is another than the process.
struct Root {
  fs::path path;
  std::optional<ProcessRights> rights = ProcessRights{.uid = ::geteuid() + 1, .groups = {}};

  Root() {
    static int number = 0;
    path = directory().file("root" + std::to_string(++number));
    for (const char* name : {"open", "closed"}) {
      fs::create_directories(path / name);
      std::ofstream(path / name / "file") << "content";
    }
    path = fs::canonical(path);
    REQUIRE(::chmod(path.c_str(), 0755) == 0);
    REQUIRE(::chmod((path / "open").c_str(), 0755) == 0);
    REQUIRE(::chmod((path / "closed").c_str(), 0700) == 0);
  }
  void link(const std::string& target, const std::string& name) const { fs::create_symlink(target, path / name); }
  // What the walk finds, as a path in this root directory, or why it finds nothing.
  [[nodiscard]] std::string found(const std::string& walked, Links links = Links::followed) const {
    const PathWalk walk = walk_to(walked, Fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)), links, rights);
    if (!walk.place) return walk.refusal != nullptr ? walk.refusal : "not there";
    const fs::path place = fs::read_symlink("/proc/self/fd/" + std::to_string(walk.place.get()));
    return place == path ? "/" : "/" + place.lexically_relative(path).string();
  }
};

}  // namespace

TEST_CASE("a path leads to a file through directories that the process may pass") {
  const Root root;
  for (const Links links : {Links::followed, Links::refused}) {
    CHECK(root.found("/open/file", links) == "/open/file");
    CHECK(root.found("//open/.//../open/file", links) == "/open/file");
    CHECK(root.found("/open", links) == "/open");
    CHECK(root.found("/open/", links) == "/open");
    CHECK(root.found("/", links) == "/");
    CHECK(root.found("/open/absent", links) == "not there");
    CHECK(root.found("/absent/file", links) == "not there");
    CHECK(root.found("/open/file/", links) == "not there");
    CHECK(root.found("/open/file/..", links) == "not there");
  }
}

TEST_CASE("a directory that the process may not pass hides what is in it, also behind a link") {
  const Root root;
  root.link("closed", "link");
  root.link("/closed/file", "open/link");
  for (const char* path : {"/closed/file", "/closed/../open/file", "/closed/absent", "/link/file", "/open/link"}) {
    CAPTURE(path);
    CHECK(root.found(path) == closed_to_user);
  }
  REQUIRE(::chmod((root.path / "closed").c_str(), 0711) == 0);
  CHECK(root.found("/closed/file") == "/closed/file");
  CHECK(root.found("/link/file") == "/closed/file");
  CHECK(root.found("/open/link") == "/closed/file");
  REQUIRE(::chmod(root.path.c_str(), 0700) == 0);
  CHECK(root.found("/open/file") == closed_to_user);
}

TEST_CASE("links are followed inside the root directory, or refused") {
  const Root root;
  root.link("open", "relative");
  root.link("/open", "absolute");
  root.link("../../../../open/./file", "open/up");
  root.link("loop", "loop");
  root.link("/absent", "dangling");
  const std::string behind = "behind a symbolic link";
  for (const char* path : {"/relative/file", "/absolute/file", "/open/up", "/absolute/../relative/up"}) {
    CAPTURE(path);
    CHECK(root.found(path) == "/open/file");
    CHECK(root.found(path, Links::refused) == behind);
  }
  CHECK(root.found("/../../open/file") == "/open/file");
  CHECK(root.found("/loop") == behind);
  CHECK(root.found("/loop/file") == behind);
  CHECK(root.found("/dangling") == "not there");
}

TEST_CASE("a path through too many directories leads nowhere, and leaves none of them open") {
  Root root;
  root.rights = ProcessRights{.uid = 0, .groups = {}};
  std::string deep = "/open";
  for (int i = 0; i < 300; ++i) deep += "/d";
  fs::create_directories(root.path.string() + deep);
  const auto open = [] { return std::distance(fs::directory_iterator("/proc/self/fd"), {}); };
  const auto before = open();
  CHECK(root.found(deep) == "not there");
  CHECK(root.found("/open/d/d") == "/open/d/d");
  CHECK(open() == before);
}
