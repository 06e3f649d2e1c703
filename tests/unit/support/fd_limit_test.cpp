// Tests how many descriptors a run needs.
#include "support/fd_limit.h"

#include <doctest/doctest.h>

using namespace profile;

TEST_CASE("a run on one CPU of many requests fewer descriptors than a run on all CPUs") {
  CHECK(needed_fds(400, 1) < 1024);
  CHECK(needed_fds(400, 400) > 1024);
}

TEST_CASE("the limit includes a ring for each CPU, and an event and a link for each sampled CPU") {
  const std::size_t of_none = needed_fds(0, 0);
  CHECK(needed_fds(64, 0) - of_none >= 64);
  CHECK(needed_fds(64, 64) - needed_fds(64, 0) >= 2 * 64);
}
