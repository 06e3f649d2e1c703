// The command line: what is kept apart in the rows, and how the line itself is kept.
#include <doctest/doctest.h>

#include <string>

#include "options_words.h"

using namespace profile;

TEST_CASE("rows are kept apart by thread and by CPU when asked") {
  CHECK_FALSE(parsed({}).sampling.by_thread);
  CHECK_FALSE(parsed({}).sampling.by_cpu);
  CHECK(parsed({"--per-thread"}).sampling.by_thread);
  CHECK_FALSE(parsed({"--per-thread"}).sampling.by_cpu);
  CHECK(parsed({"--per-cpu"}).sampling.by_cpu);
}
