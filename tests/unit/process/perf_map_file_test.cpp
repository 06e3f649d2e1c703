// Tests whose perf map is taken, and that it comes with the user whom its owner was compared with.
#include "process/perf_map_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

using namespace profile;

namespace {

// A perf map of this user, at the place for that process.
class Map {
 public:
  explicit Map(std::uint32_t tgid) : path_("/tmp/perf-" + std::to_string(tgid) + ".map") {
    std::ofstream(path_) << "1000 10 name\n";
  }
  ~Map() { std::filesystem::remove(path_); }
  void change_mode(mode_t mode) const { REQUIRE(::chmod(path_.c_str(), mode) == 0); }
  void give_to(uid_t user) const { REQUIRE(::chown(path_.c_str(), user, user) == 0); }
  Map(const Map&) = delete;
  Map& operator=(const Map&) = delete;

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("a perf map comes with the user of its process") {
  const auto own = static_cast<std::uint32_t>(::getpid());
  CHECK_FALSE(open_perf_map(own, {}).fd);
  const Map of_own(own);
  const PerfMapFile map = open_perf_map(own, {});
  CHECK(map.fd);
  CHECK(map.uid == ::getuid());
}

TEST_CASE("the perf map of a process that has exited is its last user's, or root's for everyone") {
  constexpr std::uint32_t gone = 0x7fffffff;  // the kernel gives no such number
  const Map of_gone(gone);
  const std::uint32_t us = ::getuid();
  const PerfMapFile left = open_perf_map(gone, us);
  CHECK(left.fd);
  CHECK(left.uid == us);
  of_gone.change_mode(0600);
  CHECK(open_perf_map(gone, us).fd);
  CHECK_FALSE(open_perf_map(gone, us + 1).fd);
  CHECK_FALSE(open_perf_map(gone, {}).fd);
  of_gone.change_mode(0644);
  CHECK(static_cast<bool>(open_perf_map(gone, us + 1).fd) == (us == 0));
  CHECK(static_cast<bool>(open_perf_map(gone, {}).fd) == (us == 0));
  if (us != 0) return;
  of_gone.give_to(65533);
  CHECK_FALSE(open_perf_map(gone, {}).fd);
  CHECK_FALSE(open_perf_map(gone, 0).fd);
  CHECK_FALSE(open_perf_map(gone, 65534).fd);
  CHECK(open_perf_map(gone, 65533).fd);
}
