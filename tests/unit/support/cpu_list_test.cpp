// Tests the parser of CPU lists, in the form that users and the kernel write ("0,2-3").
#include "support/cpu_list.h"

#include <doctest/doctest.h>

using namespace profile;

TEST_CASE("a CPU list can hold numbers and ranges in any order, and names each CPU once") {
  CHECK(parse_cpu_list("0") == CpuList{0});
  CHECK(parse_cpu_list("0,2-3") == CpuList{0, 2, 3});
  CHECK(parse_cpu_list("7,1-2,2-3,1") == CpuList{1, 2, 3, 7});
  CHECK(parse_cpu_list("5-5") == CpuList{5});
  CHECK(parse_cpu_list("65535") == CpuList{65535});
}

TEST_CASE("a text that is no CPU list is refused") {
  for (const char* text : {"",
                           ",",
                           "1,",
                           ",1",
                           "1,,2",
                           "a",
                           "1a",
                           "-1",
                           "3-2",
                           "1-",
                           "-",
                           "1--2",
                           "1-2-3",
                           "1 ",
                           " 1",
                           "65536",
                           "99999999999999999999",
                           "0x1",
                           "1.5",
                           "0-65536"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_cpu_list(text));
  }
}

TEST_CASE("the online CPUs are among the possible CPUs") {
  const CpuList online = online_cpus();
  REQUIRE_FALSE(online.empty());
  CHECK(online.back() < possible_cpu_count());
}
