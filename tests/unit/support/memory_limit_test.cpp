// Tests which limit of memory counts: the least one of a process's group and of those above it.
#include "support/memory_limit.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

using namespace profile;

TEST_CASE("the least limit of the groups above a process counts, in both versions of cgroups") {
  std::string root = (std::filesystem::temp_directory_path() / "memory_limit_test.XXXXXX").string();
  REQUIRE(::mkdtemp(root.data()) != nullptr);
  const auto write = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root + name).parent_path());
    std::ofstream(root + name) << text;
  };
  const auto limit = [&] { return memory_limit_bytes(root + "/groups", root); };
  CHECK(limit() == UINT64_MAX);
  write("/groups", "4:memory:/one/two\n0::/service/run\n");
  CHECK(limit() == UINT64_MAX);
  write("/service/run/memory.max", "max\n");
  CHECK(limit() == UINT64_MAX);
  write("/service/memory.max", "67108864\n");
  CHECK(limit() == 67108864);
  write("/memory/one/two/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(limit() == 67108864);
  write("/memory/memory.limit_in_bytes", "5000000\n");
  CHECK(limit() == 5000000);
  // In a container the root is a group, too.
  write("/groups", "0::/\n");
  write("/memory.max", "4096000\n");
  CHECK(limit() == 4096000);
  std::filesystem::remove_all(root);
}
