// Tests the timeline's answers after forks, execs and exits, with reused process numbers and with mappings over others.
#include <doctest/doctest.h>

#include "timeline_fixture.h"

using namespace profile;
using namespace profile::test;

TEST_CASE("a mapping covers its first byte up to its last byte") {
  TestTimeline timeline;
  timeline.record(fork_bytes(90, 10, 1));
  timeline.exec(100, 10, "dd");
  CHECK(timeline.where(10, 200, 0x8fff) == "nowhere");
  CHECK(timeline.where(10, 200, 0x9000) == "/lib/libc.so.6+1280");
  CHECK(timeline.where(10, 200, 0x9fff) == "/lib/libc.so.6+5375");
  CHECK(timeline.where(10, 200, 0xa000) == "nowhere");
}

TEST_CASE("a process that has exited still has its mappings and its name") {
  TestTimeline timeline;
  timeline.record(fork_bytes(90, 10, 1));
  timeline.exec(100, 10, "dd");
  timeline.record(exit_bytes(110, 10));
  CHECK(timeline.where(10, 105, 0x1010) == "/bin/dd+16");
  CHECK(timeline.name(10, 105) == "dd");
  CHECK(timeline.where(10, 115, 0x1010) == "/bin/dd+16");
}

TEST_CASE("a fork without exec inherits the earlier mappings of its parent, and not the later ones") {
  TestTimeline timeline;
  timeline.record(fork_bytes(90, 10, 1));
  timeline.exec(100, 10, "sh");
  timeline.record(fork_bytes(200, 20, 10));
  timeline.record(mmap_bytes(210, 10, 0x20000, 0x1000, 0, plugin_a, "/lib/a.so"));
  timeline.record(mmap_bytes(220, 20, 0x30000, 0x1000, 0, plugin_b, "/lib/b.so"));
  CHECK(timeline.where(20, 230, 0x1010) == "/bin/sh+16");
  CHECK(timeline.name(20, 230) == "sh");
  CHECK(timeline.where(20, 230, 0x20000) == "nowhere");
  CHECK(timeline.where(10, 230, 0x20000) == "/lib/a.so+0");
  CHECK(timeline.where(20, 230, 0x30000) == "/lib/b.so+0");
  CHECK(timeline.where(10, 230, 0x30000) == "nowhere");
}

TEST_CASE("an exec begins a new image, and earlier samples keep the old image") {
  TestTimeline timeline;
  timeline.record(fork_bytes(90, 10, 1));
  timeline.exec(100, 10, "sh");
  timeline.record(mmap_bytes(110, 10, 0x20000, 0x1000, 0, plugin_a, "/lib/a.so"));
  timeline.record(comm_bytes(200, 10, 10, "cc1", true));
  timeline.record(mmap_bytes(201, 10, 0x1000, 0x1000, 0, plugin_b, "/bin/cc1"));
  CHECK(timeline.where(10, 199, 0x1010) == "/bin/sh+16");
  CHECK(timeline.name(10, 199) == "sh");
  CHECK(timeline.where(10, 200, 0x1010) == "/bin/cc1+16");
  CHECK(timeline.where(10, 300, 0x20000) == "nowhere");
  CHECK(timeline.name(10, 300) == "cc1");
  CHECK(timeline.image_at(10, 199) < timeline.image_at(10, 200));
}

TEST_CASE("a command line belongs to one program and to what is forked from it, also when it comes late") {
  TestTimeline timeline;
  timeline.record(fork_bytes(90, 10, 1));
  timeline.exec(100, 10, "sh");
  timeline.record(fork_bytes(150, 20, 10));
  timeline.exec(200, 10, "cc1");
  timeline.record(mmap_bytes(210, 10, 0x20000, 0x1000, 0, plugin_a, "/lib/a.so"));
  timeline.record(mmap_bytes(220, 10, 0x20000, 0x1000, 0, plugin_b, "/lib/b.so"));  // another image
  timeline.record(fork_bytes(230, 30, 10));
  timeline.update();
  timeline.table.name_program(10, 101, "sh -c cc1");
  timeline.table.name_program(10, 201, "cc1 -quiet a.c");
  CHECK(timeline.name(10, 150) == "sh -c cc1");
  CHECK(timeline.name(20, 160) == "sh -c cc1");
  CHECK(timeline.name(10, 205) == "cc1 -quiet a.c");
  CHECK(timeline.name(10, 225) == "cc1 -quiet a.c");
  CHECK(timeline.name(30, 240) == "cc1 -quiet a.c");
  CHECK(timeline.table.comm_of(10, timeline.image_at(10, 225)) == "cc1");
  timeline.exec(300, 10, "true");
  CHECK(timeline.name(10, 310) == "true");
  timeline.table.name_program(99, 300, "nobody");
  CHECK(timeline.name(99, 310).empty());
}

TEST_CASE("mappings that only the program before exec had belong to the replaced program") {
  TestTimeline timeline;
  timeline.record(fork_bytes(90, 10, 1));
  timeline.exec(100, 10, "sh");
  timeline.record(mmap_bytes(110, 10, 0x20000, 0x1000, 0, plugin_a, "/lib/a.so"));
  timeline.record(mmap_bytes(120, 10, 0x20000, 0x1000, 0, plugin_b, "/lib/b.so"));  // over code: a new image
  const auto is_of_replaced = [&](std::uint64_t time_ns, std::uint64_t address) {
    return timeline.table.is_of_replaced_program(10, timeline.image_at(10, time_ns), RuntimeAddress{address});
  };
  CHECK_FALSE(is_of_replaced(130, 0x20000));
  CHECK_FALSE(is_of_replaced(130, 0x30000));
  timeline.record(comm_bytes(200, 10, 10, "cc1", true));
  timeline.record(mmap_bytes(210, 10, 0x1000, 0x1000, 0, plugin_b, "/bin/cc1"));
  timeline.record(mmap_bytes(220, 10, 0x1000, 0x1000, 0, plugin_a, "/lib/a.so"));
  CHECK_FALSE(is_of_replaced(199, 0x20000));
  for (const std::uint64_t time_ns : {205U, 225U}) {
    CHECK(is_of_replaced(time_ns, 0x20000));
    CHECK(is_of_replaced(time_ns, 0x9010));
    CHECK_FALSE(is_of_replaced(time_ns, 0x1010));  // also in the new program
    CHECK_FALSE(is_of_replaced(time_ns, 0x30000));
  }
  timeline.record(comm_bytes(300, 10, 10, "as", true));
  CHECK(is_of_replaced(310, 0x1010));
  CHECK_FALSE(is_of_replaced(310, 0x20000));  // in the program before the replaced one
}

TEST_CASE("a process id that is used again is another process") {
  TestTimeline timeline;
  timeline.record(fork_bytes(50, 1000, 1));
  timeline.exec(60, 1000, "sh");
  timeline.record(fork_bytes(90, 10, 1000));
  timeline.exec(100, 10, "first", plugin_a);
  timeline.record(exit_bytes(150, 10));
  timeline.record(fork_bytes(200, 10, 1000));
  CHECK(timeline.name(10, 120) == "first");
  CHECK(timeline.name(10, 250) == "sh");
  CHECK(timeline.where(10, 250, 0x1010) == "/bin/sh+16");
  CHECK(timeline.where(10, 120, 0x1010) == "/bin/first+16");
}

TEST_CASE("the nearest ancestor that runs is found, also when those between have ended") {
  test::TestTimeline timeline;
  timeline.proc.processes[5] = {};
  timeline.record(fork_bytes(90, 10, 5));
  timeline.record(fork_bytes(100, 20, 10));
  timeline.record(fork_bytes(110, 30, 20));
  timeline.record(exit_bytes(120, 20, 20));
  timeline.record(exit_bytes(130, 30, 30));
  timeline.update();
  CHECK(timeline.table.living_ancestor_of(30) == 10);
  CHECK(timeline.table.living_ancestor_of(20) == 10);
  timeline.record(exit_bytes(140, 10, 10));
  timeline.update();
  CHECK(timeline.table.living_ancestor_of(30) == 5);
  // The number of an ancestor is used again.
  timeline.record(fork_bytes(150, 20, 5));
  timeline.update();
  CHECK(timeline.table.living_ancestor_of(30) == 0);
  CHECK(timeline.table.living_ancestor_of(99) == 0);
}

TEST_CASE("threads change no image, no name and no end of their process") {
  TestTimeline timeline;
  timeline.record(fork_bytes(90, 10, 1));
  timeline.exec(100, 10, "java");
  timeline.update();
  const std::uint32_t image = timeline.image_at(10, 150);
  timeline.record(fork_bytes(160, 10, 10, 11));
  timeline.record(comm_bytes(170, 10, 11, "worker", false));
  timeline.record(exit_bytes(180, 10, 11));
  CHECK(timeline.image_at(10, 190) == image);
  CHECK(timeline.name(10, 190) == "java");
  timeline.record(comm_bytes(200, 10, 10, "renamed", false));
  CHECK(timeline.name(10, 210) == "renamed");
  // The first thread ends, and other threads go on mapping.
  timeline.record(exit_bytes(220, 10, 10));
  timeline.record(mmap_bytes(230, 10, 0x20000, 0x1000, 0, plugin_a, "/lib/a.so"));
  CHECK(timeline.where(10, 240, 0x20000) == "/lib/a.so+0");
}

TEST_CASE("an address gets the library that was mapped there at the time of the sample") {
  TestTimeline timeline;
  timeline.record(fork_bytes(90, 10, 1));
  timeline.exec(100, 10, "host");
  timeline.record(mmap_bytes(200, 10, 0x20000, 0x2000, 0, plugin_a, "/lib/a.so"));
  timeline.record(mmap_bytes(300, 10, 0x20000, 0x1000, 0, plugin_b, "/lib/b.so"));
  CHECK(timeline.where(10, 250, 0x20010) == "/lib/a.so+16");
  CHECK(timeline.where(10, 350, 0x20010) == "/lib/b.so+16");
  CHECK(timeline.where(10, 350, 0x1010) == "/bin/host+16");
  CHECK(timeline.name(10, 350) == "host");
}

TEST_CASE("a repeated mapping, or a part of it, begins no new image") {
  TestTimeline timeline;
  timeline.record(fork_bytes(90, 10, 1));
  timeline.exec(100, 10, "dd");
  const std::uint32_t image = timeline.image_at(10, 150);
  timeline.record(mmap_bytes(200, 10, 0x9000, 0x1000, 0x500, libc_file, "/lib/libc.so.6"));
  timeline.record(mmap_bytes(210, 10, 0x9800, 0x800, 0xd00, libc_file, "/lib/libc.so.6"));
  CHECK(timeline.image_at(10, 250) == image);
  CHECK(timeline.where(10, 250, 0x9900) == "/lib/libc.so.6+3584");
}

TEST_CASE("generated code is distinguished from files, and a known process from an unknown process") {
  TestTimeline timeline;
  timeline.record(fork_bytes(90, 10, 1));
  timeline.exec(100, 10, "node");
  timeline.record(mmap_bytes(110, 10, 0x50000, 0x1000, 0, {}, "//anon"));
  timeline.record(mmap_bytes(111, 10, 0x60000, 0x1000, 0, jit_memory, "/memfd:v8 (deleted)"));
  timeline.record(mmap_bytes(112, 10, 0x70000, 0x2000, 0, {}, "[vdso]"));
  CHECK(timeline.where(10, 150, 0x50800) == "jit");
  CHECK(timeline.where(10, 150, 0x60800) == "jit");
  CHECK(timeline.where(10, 150, 0x71000) == "vdso+4096");
  CHECK(timeline.where(10, 150, 0x80000) == "nowhere");
  CHECK(timeline.where(99, 150, 0x80000) == "unknown");
}

TEST_CASE("a program in memory is a file, and memory that cannot be opened is JIT code of a living process") {
  const FileIdentity program{0, 1, 78};
  TestTimeline timeline;
  timeline.record(comm_bytes(100, 10, 10, "fetched", true));
  timeline.record(mmap_bytes(101, 10, 0x60000, 0x1000, 0x2000, program, "/memfd:fetched (deleted)"));
  CHECK(timeline.where(10, 150, 0x60010) == "/memfd:fetched+8208");

  TestTimeline barred;
  barred.keeper.gone = true;
  barred.proc.processes[10] = {};
  for (const std::uint32_t tgid : {10U, 11U}) {
    barred.record(comm_bytes(100, tgid, tgid, "fetched", true));
    barred.record(mmap_bytes(101, tgid, 0x60000, 0x1000, 0x2000, {0, 1, 70 + tgid}, "/memfd:fetched (deleted)"));
  }
  CHECK(barred.where(10, 150, 0x60010) == "jit");
  CHECK(barred.where(11, 150, 0x60010) == "/memfd:fetched+8208");
}

TEST_CASE("a program that copies its text into huge pages keeps its names") {
  TestTimeline timeline;
  timeline.record(fork_bytes(90, 10, 1));
  timeline.record(comm_bytes(100, 10, 10, "node", true));
  timeline.record(mmap_bytes(101, 10, 0x400000, 0x1000000, 0, exe_file, "/bin/node"));
  timeline.record(mmap_bytes(110, 10, 0x600000, 0x400000, 0, {}, "//anon"));
  CHECK(timeline.where(10, 150, 0x600010) == "/bin/node+2097168");
  // Such a copy has another shape, so this is other code.
  timeline.record(mmap_bytes(210, 10, 0x601000, 0x1000, 0, {}, "//anon"));
  CHECK(timeline.where(10, 250, 0x601010) == "jit");
  CHECK(timeline.where(10, 250, 0x602010) == "/bin/node+2105360");
}

TEST_CASE("memory that is not executable is not kept") {
  TestTimeline timeline;
  timeline.record(fork_bytes(90, 10, 1));
  timeline.exec(100, 10, "dd");
  timeline.record(mmap_bytes(110, 10, 0x20000, 0x1000, 0, plugin_a, "/lib/a.so", 7, 1));
  CHECK(timeline.where(10, 150, 0x20000) == "nowhere");
  CHECK(timeline.keeper.opens.count(plugin_a) == 0);
}

TEST_CASE("only wanted processes are kept") {
  TestTimeline timeline;
  timeline.table.want(10);
  timeline.record(fork_bytes(90, 10, 1));
  timeline.exec(100, 10, "dd");
  timeline.record(fork_bytes(91, 11, 1));
  timeline.exec(100, 11, "cat");
  timeline.update();
  CHECK(timeline.where(10, 150, 0x1010) == "/bin/dd+16");
  CHECK(timeline.table.kept_count() == 1);
}

TEST_CASE("an ended process is forgotten, and later processes with its id have higher images") {
  TestTimeline timeline;
  timeline.record(fork_bytes(90, 10, 1));
  timeline.exec(100, 10, "sh");
  timeline.record(fork_bytes(120, 11, 10));
  timeline.exec(130, 11, "cc1", plugin_a);
  timeline.record(exit_bytes(200, 11));
  timeline.update();
  const std::uint32_t ended = timeline.image_at(11, 150);
  timeline.proc.processes[10] = {"sh", "", own_mounts};
  const auto is_alive = [&](std::uint32_t tgid) { return timeline.proc.is_alive(tgid); };
  timeline.table.forget_before(150, is_alive);
  CHECK(timeline.where(11, 150, 0x1010) == "/bin/cc1+16");
  timeline.table.forget_before(300, is_alive);
  CHECK(timeline.table.locate(11, ended, RuntimeAddress{0x1010}).kind == CodeLocation::Kind::unknown);
  CHECK(timeline.where(10, 400, 0x1010) == "/bin/sh+16");
  timeline.record(fork_bytes(500, 11, 10));
  CHECK(timeline.image_at(11, 500) > ended);
}

TEST_CASE("a process that maps and unmaps code endlessly uses bounded memory") {
  TestTimeline timeline;
  timeline.record(fork_bytes(90, 10, 1));
  timeline.exec(100, 10, "host");
  constexpr std::uint64_t step_ns = 20'000'000;  // slow enough that each change is followed
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    timeline.record(
        mmap_bytes(step_ns * (1 + i), 10, 0x20000, 0x1000, 0, i % 2 == 0 ? plugin_a : plugin_b, "/lib/x.so"));
  }
  timeline.update();
  // For the oldest times, only the facts that hold for all of them are known.
  CHECK(timeline.where(10, 150, 0x1010) == "/bin/host+16");
  CHECK(timeline.where(10, 150, 0x20010) == "unknown");
  CHECK(timeline.name(10, 150) == "host");
  CHECK(timeline.table.image_at(10, 150) == timeline.table.image_at(10, step_ns * 1000));
  CHECK(timeline.where(10, step_ns * 20'000, 0x20010) == "/lib/x.so+16");
  CHECK(timeline.files.size() == 4);
}

TEST_CASE("the user of a process with code of its own is known after its end, and of what it has forked") {
  TestTimeline timeline;
  const auto user_of = [&timeline](std::uint32_t tgid) {
    timeline.update();
    return timeline.table.jit_user_of(tgid);
  };
  timeline.proc.processes[10].user = 1001;
  timeline.record(fork_bytes(90, 10, 1));
  timeline.exec(100, 10, "node");
  CHECK_FALSE(user_of(10));
  timeline.record(mmap_bytes(110, 10, 0x20000, 0x1000, 0, {}, "//anon"));
  CHECK(user_of(10) == 1001);
  timeline.record(fork_bytes(120, 20, 10));
  timeline.update();
  timeline.proc.processes.erase(10);
  timeline.record(exit_bytes(130, 10));
  CHECK(user_of(10) == 1001);
  CHECK(user_of(20) == 1001);
  // The next program may run as another user, and was gone before we could look.
  timeline.exec(140, 20, "other");
  timeline.record(mmap_bytes(150, 20, 0x20000, 0x1000, 0, {}, "//anon"));
  CHECK_FALSE(user_of(20));
  const std::uint32_t image = timeline.image_at(10, 120);
  CHECK_FALSE(timeline.table.is_number_used_again(10, image));
  timeline.record(fork_bytes(200, 10, 1));
  CHECK_FALSE(user_of(10));
  CHECK(timeline.table.is_number_used_again(10, image));
  CHECK_FALSE(timeline.table.is_number_used_again(10, timeline.image_at(10, 210)));
}

TEST_CASE("threads that come and go, and processes of no interest, are no news") {
  TestTimeline timeline;
  timeline.table.want(10);
  timeline.record(fork_bytes(90, 10, 1));
  timeline.exec(100, 10, "server");
  timeline.update();
  const std::uint64_t news = timeline.table.news_count();
  CHECK(news == 4);  // the fork, the exec and two mappings
  const std::uint64_t records = timeline.table.record_count();
  timeline.record(fork_bytes(200, 10, 10));
  timeline.record(comm_bytes(201, 10, 11, "worker", false));
  timeline.record(fork_bytes(202, 20, 1));
  timeline.exec(203, 20, "other");
  timeline.update();
  CHECK(timeline.table.record_count() == records + 6);
  CHECK(timeline.table.news_count() == news);
}
