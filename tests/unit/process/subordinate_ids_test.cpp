#include "process/subordinate_ids.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace profile {

TEST_CASE("ranges of subordinate ids belong to the users of /etc/passwd") {
  const auto ranges =
      subordinate_ranges("ada:100000:65536\nbob:165536:10\nada:300000:5\n1003:400000:2\n",
                         "root:x:0:0::/root:/bin/sh\nada:x:1000:1000:,,,:/home/ada:/bin/sh\nbob:x:1001:1001\n");
  REQUIRE(ranges.size() == 4);
  CHECK(ranges[0] == SubordinateRange{1000, 100000, 65536});
  CHECK(ranges[1] == SubordinateRange{1001, 165536, 10});
  CHECK(ranges[2] == SubordinateRange{1000, 300000, 5});
  CHECK(ranges[3] == SubordinateRange{1003, 400000, 2});
}

TEST_CASE("a user of the network is one user for all of his ranges") {
  const auto ranges = subordinate_ranges("eve@corp:100000:10\neve@corp:200000:10\n", "root:x:0:0\n");
  REQUIRE(ranges.size() == 2);
  CHECK(ranges[0].user == 100000);
  CHECK(ranges[1].user == 100000);
}

TEST_CASE("ids of the system's users, and lines that are none, are left out") {
  CHECK(subordinate_ranges("dockremap:100000:65536\n", "dockremap:x:997:997\n").empty());
  CHECK(subordinate_ranges("root:100000:65536\n", "root:x:0:0\n").empty());
  CHECK(subordinate_ranges("ada:0:10\nada:5\n:1:2\nada:x:y\nada:1:2:3\n\n# ada:1:2 \nada:-1:4\nada:99999999999:4\n",
                           "ada:x:1000:1000\n")
            .empty());
}

TEST_CASE("subordinate ids are read again when the file has changed") {
  std::string directory = (std::filesystem::temp_directory_path() / "profile-subuid.XXXXXX").string();
  REQUIRE(::mkdtemp(directory.data()) != nullptr);
  const std::string subuid = directory + "/subuid", passwd = directory + "/passwd";
  SubordinateIds ids(subuid, passwd);
  CHECK(ids.user_of(100005) == 100005);
  std::ofstream(passwd) << "ada:x:1000:1000\n";
  std::ofstream(subuid) << "ada:100000:10\n";
  CHECK(ids.user_of(100005) == 1000);
  CHECK(ids.user_of(100010) == 100010);
  CHECK(ids.user_of(99999) == 99999);
  CHECK(ids.user_of(0) == 0);
  std::ofstream(subuid) << "ada:100000:10\nada:4294967290:10\n";
  CHECK(ids.user_of(4294967295) == 1000);
  std::filesystem::remove_all(directory);
}

}  // namespace profile
