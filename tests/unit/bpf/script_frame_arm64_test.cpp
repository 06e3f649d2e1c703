// Walks through the frames of Python scripts by the rules of arm64, on any machine.
#define WALK_OF_ARM64
#include <doctest/doctest.h>

#include "python_thread.h"

TEST_CASE("on arm64, functions of a script stand where the interpreter runs them") {
  for (const unsigned minor : {11U, 12U}) {
    CAPTURE(minor);
    WalkHost here;
    host = &here;
    MadeThread thread(here, minor);
    call_to_and_fro(thread, minor);
    CHECK(thread.walk_it() == WALK_ROOT);
    CHECK(thread.walked() == to_and_fro);
    CHECK(here.walk.script.missing == SCRIPT_WHOLE);
    const std::uint64_t hash = end_hash(&here.walk, 0);
    thread.walk_it();
    CHECK(thread.walked() == to_and_fro);
    CHECK(end_hash(&here.walk, 0) == hash);
  }
}

TEST_CASE("on arm64, an interpreter that has only begun has no functions of its own") {
  WalkHost here;
  host = &here;
  MadeThread thread(here, 11);
  thread.run({"main", "outer"});
  thread.run({"inner"});
  thread.set_pc(here.script.valid_from - 4);
  CHECK(thread.walk_it() == WALK_ROOT);
  CHECK(thread.walked() == Words{"eval", "outer", "main", "root"});
  CHECK(here.walk.script.missing == SCRIPT_NOT_BEGUN);
  // Behind the store that puts the frame in its place.
  thread.set_pc(here.script.valid_from);
  CHECK(thread.walk_it() == WALK_ROOT);
  CHECK(thread.walked() == Words{"inner", "outer", "main", "root"});
}
