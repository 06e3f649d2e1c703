// Walks through the frames of Python scripts in made memory, for each version: the BPF program's own text, with the
// layouts that the parser finds in made files.
#define WALK_OF_X86_64
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "python_thread.h"

TEST_CASE("functions of a script stand where the interpreter runs them, and it does not stand there itself") {
  for (unsigned minor = 9; minor <= 13; ++minor) {
    CAPTURE(minor);
    WalkHost here;
    host = &here;
    MadeThread thread(here, minor);
    call_to_and_fro(thread, minor);
    const int end = thread.walk_it();
    CHECK(end == WALK_ROOT);
    CHECK(thread.walked() == to_and_fro);
    CHECK(here.walk.script.missing == SCRIPT_WHOLE);
    CHECK(here.walk.script.met == SCRIPT_PYTHON);
    CHECK(do_scripts_fit(&here.walk, end));
    const ring_name& name = here.names.begin()->second;
    CHECK(name.line == 7);
    CHECK(std::string(name.path_text, name.path.bytes) == "/srv/app.py");
    // Again, with what is remembered, and in a walk that lasts a part of the way.
    const std::uint64_t hash = end_hash(&here.walk, 0);
    thread.walk_it();
    CHECK(thread.walked() == to_and_fro);
    CHECK(end_hash(&here.walk, 0) == hash);
  }
}

TEST_CASE("an interpreter that has only begun, or is about to return, has no functions of its own") {
  for (const unsigned minor : {11U, 12U, 13U}) {
    CAPTURE(minor);
    WalkHost here;
    host = &here;
    MadeThread thread(here, minor);
    thread.run({"main", "outer"});
    const std::uint64_t outer = thread.frame();
    thread.run({"inner"});
    thread.set_pc(here.script.valid_from - 1);
    thread.put(MadeThread::thread + thread.at(PYTHON_THREAD_FRAME), outer);
    CHECK(thread.walk_it() == WALK_ROOT);
    CHECK(thread.walked() == Words{"eval", "outer", "main", "root"});
    CHECK(here.walk.script.missing == SCRIPT_NOT_BEGUN);
    if (minor != 13) continue;
    // The thread's chain has lost the frame already: its mark belongs to the outer one.
    thread.set_pc(MadeThread::inside);
    CHECK(thread.walk_it() == WALK_ROOT);
    CHECK(thread.walked() == Words{"eval", "outer", "main", "root"});
    CHECK(here.walk.script.missing == SCRIPT_NO_PLACE);
  }
}

TEST_CASE("a chain of all frames that is longer or shorter than the stack does not fit") {
  for (const bool is_longer : {false, true}) {
    WalkHost here;
    host = &here;
    MadeThread thread(here, 9);
    call_to_and_fro(thread, 9);
    if (is_longer) {
      thread.add_frame_of(thread.code_of("made"), true);
      thread.put(MadeThread::thread + thread.at(PYTHON_THREAD_FRAME), thread.frame());
    } else {
      std::uint64_t previous = 0;
      REQUIRE(here.program.read(&previous, 8, thread.frame() + thread.at(PYTHON_FRAME_PREVIOUS)));
      thread.put(MadeThread::thread + thread.at(PYTHON_THREAD_FRAME), previous);
    }
    const int end = thread.walk_it();
    CHECK(!do_scripts_fit(&here.walk, end));
    // Then the host walks again without them.
    here.walk.script.is_off = 1;
  }
}

TEST_CASE("what cannot be read, or is something else, leaves the interpreter's own frame") {
  const auto walk_with = [](auto spoil) {
    WalkHost here;
    host = &here;
    MadeThread thread(here, 11);
    call_to_and_fro(thread, 11);
    const std::uint64_t good_hash = (thread.walk_it(), end_hash(&here.walk, 0));
    here.functions.clear();
    spoil(thread, here);
    CHECK(thread.walk_it() == WALK_ROOT);
    CHECK(here.walk.script.missing == SCRIPT_NOT_READABLE);
    CHECK(end_hash(&here.walk, 0) != good_hash);
    return thread.walked();
  };
  const Words without_inner{"c", "eval", "c", "outer", "main", "root"};
  const auto code_of_inner = [](MadeThread& thread, WalkHost& here) {
    std::uint64_t code = 0;
    REQUIRE(here.program.read(&code, 8, thread.frame() + thread.at(PYTHON_FRAME_CODE)));
    return code;
  };
  CHECK(walk_with([](MadeThread& thread, WalkHost&) {
          thread.put(thread.frame() + thread.at(PYTHON_FRAME_CODE), 0x900000000);
        }) == without_inner);
  CHECK(walk_with([](MadeThread& thread, WalkHost&) {
          thread.put(thread.frame() + thread.at(PYTHON_FRAME_CODE), 3);
        }) == without_inner);
  CHECK(walk_with([&](MadeThread& thread, WalkHost& here) {
          thread.put(code_of_inner(thread, here) + 8, 0x1234560);
        }) == without_inner);
  CHECK(walk_with([&](MadeThread& thread, WalkHost& here) {
          thread.put(code_of_inner(thread, here) + thread.at(PYTHON_CODE_NAME), 0);
        }) == without_inner);
  CHECK(walk_with([&](MadeThread& thread, WalkHost& here) {
          std::uint64_t text = 0;
          REQUIRE(here.program.read(&text, 8, code_of_inner(thread, here) + thread.at(PYTHON_CODE_NAME)));
          thread.put(text + 32, 0);  // a str of an old kind
        }) == without_inner);
}

TEST_CASE("memory that is used again for another function gives another frame") {
  WalkHost here;
  host = &here;
  MadeThread thread(here, 12);
  thread.run({"main", "first"});
  thread.walk_it();
  CHECK(thread.walked() == Words{"first", "main", "root"});
  // The same objects at the same places, with another text.
  std::uint64_t code = 0;
  std::uint64_t text = 0;
  REQUIRE(here.program.read(&code, 8, thread.frame() + thread.at(PYTHON_FRAME_CODE)));
  REQUIRE(here.program.read(&text, 8, code + thread.at(PYTHON_CODE_NAME)));
  thread.put(text + 24, 4711);
  thread.put_byte(text + thread.at(PYTHON_TEXT_ASCII), 't');
  thread.walk_it();
  CHECK(thread.walked() == Words{"tirst", "main", "root"});
  // A str without a hash is read each time.
  thread.put(text + 24, ~std::uint64_t{0});
  thread.put_byte(text + thread.at(PYTHON_TEXT_ASCII), 'w');
  thread.walk_it();
  thread.put_byte(text + thread.at(PYTHON_TEXT_ASCII), 'z');
  thread.walk_it();
  CHECK(thread.walked() == Words{"zirst", "main", "root"});
}

TEST_CASE("long names are cut at their ends, and long paths at their beginnings") {
  WalkHost here;
  host = &here;
  MadeThread thread(here, 13);
  const std::string longest(300, 'x');
  thread.run({"m", longest});
  thread.walk_it();
  const auto name = std::ranges::find_if(here.names, [](const auto& sent) { return sent.second.name.is_cut != 0; });
  REQUIRE(name != here.names.end());
  CHECK(name->second.name.bytes == SCRIPT_NAME_BYTES);
  CHECK(std::string(name->second.name_text, SCRIPT_NAME_BYTES) == longest.substr(0, SCRIPT_NAME_BYTES));
}

TEST_CASE("a name without room on its way is sent the next time, although the function is known") {
  WalkHost here;
  host = &here;
  MadeThread thread(here, 11);
  thread.run({"main"});
  here.loses_names = true;
  thread.walk_it();
  CHECK(thread.walked() == Words{"?", "root"});
  here.loses_names = false;
  thread.walk_it();
  CHECK(thread.walked() == Words{"main", "root"});
}

TEST_CASE("without a wanted language the interpreter stays") {
  WalkHost here;
  host = &here;
  MadeThread thread(here, 11);
  thread.run({"main"});
  here.script.language = SCRIPT_NONE;
  thread.walk_it();
  CHECK(thread.walked() == Words{"eval", "root"});
}

TEST_CASE("with lines, a frame's word has the place in the function, and the table of its lines is sent") {
  for (unsigned minor = 9; minor <= 13; ++minor) {
    CAPTURE(minor);
    WalkHost here;
    host = &here;
    MadeThread thread(here, minor);
    thread.has_lines = true;
    if (minor < 11) {
      thread.run({"outer"});
      thread.run({"main"});
    } else {
      thread.run({"outer", "main"});
    }
    std::uint64_t code = 0;
    REQUIRE(here.program.read(&code, 8, thread.frame() + thread.at(PYTHON_FRAME_CODE)));
    const std::string table(300, 't');
    thread.put_table(code, table);
    const auto position = [&](std::int64_t unit) {
      thread.put_instruction(unit);
      thread.walk_it();
      return here.walk.frames[0] & SCRIPT_POSITION_MASK;
    };
    CHECK(position(0) == 2);
    CHECK(position(17) == 19);
    CHECK(position(-1) == 1);
    const std::uint64_t function = here.walk.frames[0] & ~SCRIPT_POSITION_MASK;
    REQUIRE(here.names.contains(function));
    CHECK(here.names[function].lines == here.script.lines);
    CHECK(here.tables[function] == table);
    // Another table is another function, although it has the same name and begins in the same line.
    thread.put_table(code, std::string(299, 't') + 'u');
    here.functions.clear();
    CHECK(position(17) == 19);
    CHECK((here.walk.frames[0] & ~SCRIPT_POSITION_MASK) != function);
    // One that is too large is not sent.
    thread.put_table(code, std::string(SCRIPT_TABLE_BYTES + 1, 't'));
    here.functions.clear();
    CHECK(position(17) == 19);
    CHECK(here.names[here.walk.frames[0] & ~SCRIPT_POSITION_MASK].table_hash == 0);
  }
}
