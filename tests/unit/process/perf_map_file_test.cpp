// Tests that a perf map comes with the user whom its owner was compared with.
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
  Map(const Map&) = delete;
  Map& operator=(const Map&) = delete;

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("a perf map comes with the user of its process, and without one if the process has exited") {
  const auto own = static_cast<std::uint32_t>(::getpid());
  CHECK_FALSE(open_perf_map(own).fd);
  const Map of_own(own);
  const PerfMapFile map = open_perf_map(own);
  CHECK(map.fd);
  CHECK(map.uid == ::getuid());

  constexpr std::uint32_t gone = 0x7fffffff;  // the kernel gives no such number
  const Map of_gone(gone);
  const PerfMapFile left = open_perf_map(gone);
  CHECK(left.fd);
  CHECK_FALSE(left.uid);
}
