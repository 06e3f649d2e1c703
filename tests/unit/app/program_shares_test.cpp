#include "output/process_shares.h"

#include <doctest/doctest.h>

#include <string>

namespace profile {
namespace {

void add(Profile& profile, std::uint32_t tgid, const char* name, std::uint64_t value) {
  Row row;
  row.process = profile.process(tgid, 0, name);
  row.value = row.samples = value;
  profile.add(row);
}

}  // namespace

TEST_CASE("programs are told with their shares, several processes of one together") {
  Profile profile;
  add(profile, 1, "make", 1);
  CHECK(program_shares(profile).empty());
  for (std::uint32_t tgid = 10; tgid < 13; ++tgid) add(profile, tgid, "cc1plus", 2);
  add(profile, 20, "node", 3);
  const char* const told =
      "programs: 60.0% cc1plus in 3 processes, 30.0% node, 10.0% make; --command-lines tells those of one name apart";
  CHECK(program_shares(profile) == told);
  for (const char* name : {"a", "b", "c", "d"}) add(profile, 30, name, 0);
  CHECK(program_shares(profile) == told);
  profile.run.processes_by_name = true;
  CHECK(program_shares(profile) == "programs: 60.0% cc1plus in 3 processes, 30.0% node, 10.0% make");
}

TEST_CASE("small programs are counted together, and names are clean") {
  Profile profile;
  add(profile, 1, "first", 92);
  for (std::uint32_t tgid = 2; tgid < 10; ++tgid) add(profile, tgid, ("p" + std::to_string(tgid) + "\n").c_str(), 1);
  CHECK(program_shares(profile) == "programs: 92.0% first, 1.0% p2?, 1.0% p3?, 1.0% p4?, 1.0% p5?, 4.0% 4 others");
  CHECK(program_shares(Profile()).empty());
}

TEST_CASE("a command line in the place of a name is cut") {
  Profile profile;
  add(profile, 1, ("gcc " + std::string(900, 'x')).c_str(), 3);
  add(profile, 2, "b", 1);
  const std::string line = program_shares(profile);
  CHECK(line.size() < 100);
  CHECK(line.ends_with(", 25.0% b"));
}

TEST_CASE("of command lines that begin alike, what makes them differ is shown") {
  Profile profile;
  const std::string same = "cc1plus -quiet -imultiarch x86_64-linux-gnu -D_GNU_SOURCE -mtune=generic -O2 ";
  add(profile, 1, (same + "a.cpp -o /tmp/a.s").c_str(), 6);
  add(profile, 2, (same + "b.cpp -o /tmp/b.s").c_str(), 3);
  add(profile, 3, "make all", 1);
  CHECK(program_shares(profile) ==
        "programs: 60.0% cc1plus ... a.cpp ... /tmp/a.s, 30.0% cc1plus ... b.cpp ... /tmp/b.s, 10.0% make all");
}

}  // namespace profile
