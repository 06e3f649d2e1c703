// Tests what the timeline forgets in endless runs: files that no process maps any more.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "timeline_fixture.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr std::uint64_t minute_ns = 60'000'000'000;
constexpr std::uint64_t second_ns = 1'000'000'000;

// Does the same as the session, now and a second later.
void close_expired(TestTimeline& timeline, std::uint64_t now_ns) {
  timeline.table.note_mapped(now_ns);
  timeline.table.note_mapped(now_ns + second_ns);
  timeline.files.close_expired();
}

}  // namespace

TEST_CASE("a deleted file without mappings is closed at once, and another file after some minutes") {
  FakeKeeper keeper;
  CodeFiles files(keeper, 100);
  const auto mapped = files.mapped({8, 1, 1, 1}, "/mapped", {});
  const auto deleted = files.mapped({8, 1, 2, 1}, "/deleted", {});
  const auto unmapped = files.mapped({8, 1, 3, 1}, "/unmapped", {});
  const FileNumber number = files.at(deleted).number;
  keeper.deleted = {1, 2};
  std::vector<bool> is_mapped(files.place_count(), false);
  is_mapped[mapped] = true;
  files.forget_unmapped(is_mapped, minute_ns);
  CHECK(files.open_count() == 2);
  CHECK(files.size() == 2);
  CHECK(can_be_read(files, mapped));
  CHECK(can_be_read(files, unmapped));

  // Another file gets its place, with another number.
  const auto next = files.mapped({8, 1, 4, 1}, "/next", {});
  CHECK(next == deleted);
  CHECK(files.at(next).number != number);
  CHECK(files.at(next).path == "/next");
  CHECK(files.size() == 3);

  is_mapped[next] = true;
  files.forget_unmapped(is_mapped, 9 * minute_ns);
  CHECK(files.size() == 3);
  files.forget_unmapped(is_mapped, 11 * minute_ns);
  CHECK(files.size() == 2);
  CHECK(files.open_count() == 2);
}

TEST_CASE("a file that is mapped again stays, and a forgotten file is opened again") {
  FakeKeeper keeper;
  CodeFiles files(keeper, 100);
  const auto id = files.mapped(exe_file, "/f", {});
  files.forget_unmapped({false}, minute_ns);
  files.forget_unmapped({true}, 5 * minute_ns);
  files.forget_unmapped({false}, 12 * minute_ns);
  CHECK(files.size() == 1);
  CHECK(files.mapped(exe_file, "/f", {}) == id);
  CHECK(keeper.opens[exe_file] == 1);
  files.forget_unmapped({false}, 30 * minute_ns);
  CHECK(files.size() == 0);
  files.mapped(exe_file, "/f", {});
  CHECK(keeper.opens[exe_file] == 2);
  CHECK(files.size() == 1);
}

TEST_CASE("thousands of files of one user that nobody maps are forgotten sooner than those of others") {
  FakeKeeper keeper;
  CodeFiles files(keeper, 10'000);
  keeper.owner = 1000;
  for (std::uint64_t inode = 1; inode <= 5000; ++inode) files.mapped({8, 1, inode, 1}, "/his", {});
  keeper.owner = 1001;
  files.mapped({8, 1, 6000, 1}, "/hers", {});
  const std::vector<bool> is_mapped(files.place_count(), false);
  files.forget_unmapped(is_mapped, minute_ns);
  CHECK(files.size() == 5001);
  files.forget_unmapped(is_mapped, 2 * minute_ns);
  CHECK(files.size() == 1);
}

TEST_CASE("a free place in the list of files is not freed twice") {
  FakeKeeper keeper;
  CodeFiles files(keeper, 100);
  files.mapped(exe_file, "/f", {});
  keeper.deleted = {exe_file.inode};
  files.forget_unmapped({false}, minute_ns);
  files.forget_unmapped({false}, 20 * minute_ns);
  keeper.deleted.clear();
  CHECK(files.mapped({8, 1, 11, 1}, "/g", {}) != files.mapped({8, 1, 12, 1}, "/h", {}));
  CHECK(files.size() == 2);
}

TEST_CASE("files of forgotten processes are forgotten, unless another process maps them") {
  TestTimeline timeline;
  timeline.proc.processes[10] = {"dd", ""};
  timeline.proc.processes[20] = {"cp", ""};
  timeline.record(fork_bytes(100, 10, 1));
  timeline.exec(110, 10, "dd");
  timeline.record(fork_bytes(100, 20, 1));
  timeline.exec(110, 20, "cp", plugin_a);
  timeline.update();
  CHECK(timeline.files.size() == 3);
  timeline.proc.processes.erase(10);
  timeline.record(exit_bytes(200, 10, 10));
  timeline.update();
  const auto is_alive = [&](std::uint32_t tgid) { return timeline.proc.is_alive(tgid); };
  timeline.table.forget_before(minute_ns, is_alive);
  timeline.table.forget_before(15 * minute_ns, is_alive);
  CHECK(timeline.files.size() == 2);
  CHECK(timeline.where(20, 20 * minute_ns, 0x1010) == "/bin/cp+16");
  CHECK(timeline.where(20, 20 * minute_ns, 0x9010) == "/lib/libc.so.6+1296");
}

TEST_CASE("processes whose samples have no names yet are not forgotten, and their files neither") {
  TestTimeline timeline;
  timeline.exec(100, 10, "sampled");
  timeline.exec(110, 20, "short", plugin_a);
  timeline.exec(200, 10, "again", plugin_b);
  for (const std::uint32_t tgid : {10U, 20U}) timeline.record(exit_bytes(300, tgid, tgid));
  timeline.update();
  timeline.table.forget_before(20 * minute_ns, [](std::uint32_t) { return false; }, {10});
  CHECK(timeline.table.kept_count() == 1);
  CHECK(timeline.name(10, 150) == "sampled");
  CHECK(timeline.where(10, 250, 0x1010) == "/bin/again+16");
  CHECK(timeline.name(20, 150).empty());
  timeline.table.forget_before(20 * minute_ns, [](std::uint32_t) { return false; });
  CHECK(timeline.table.kept_count() == 0);
}

TEST_CASE("a file without mappings is closed, and the facts about it are kept") {
  TestTimeline timeline;
  timeline.proc.processes[10] = {"dd", ""};
  timeline.proc.processes[20] = {"cp", ""};
  timeline.exec(110, 10, "dd");
  timeline.exec(110, 20, "cp", plugin_a);
  timeline.update();
  close_expired(timeline, second_ns);
  CHECK(timeline.files.open_count() == 3);

  // The process is a zombie: its parent has not waited for it. This makes no difference.
  timeline.proc.zombies = {10};
  timeline.record(exit_bytes(200, 10, 10));
  timeline.update();
  timeline.table.note_mapped(10 * second_ns);
  CHECK_FALSE(timeline.files.any_expired());
  timeline.table.note_mapped(11 * second_ns);
  CHECK(timeline.files.any_expired());
  timeline.files.close_expired();
  CHECK_FALSE(timeline.files.any_expired());
  CHECK(timeline.files.open_count() == 2);
  CHECK(timeline.keeper.open_numbers.size() == 2);
  CHECK(timeline.where(10, 150, 0x1010) == "/bin/dd+16");

  // A file that is mapped again is the same file. It is opened through the root of a living process.
  const FileNumber number = timeline.table.locate(10, 1, RuntimeAddress{0x1010}).file->number;
  timeline.exec(300, 30, "dd");
  timeline.update();
  CHECK(timeline.files.open_count() == 3);
  CHECK(timeline.keeper.opens[exe_file] == 2);
  CHECK(timeline.table.locate(30, 1, RuntimeAddress{0x1010}).file->number == number);

  // An exec lets go of the old program's files, too.
  timeline.exec(400, 20, "cp", plugin_b);
  timeline.update();
  close_expired(timeline, 20 * second_ns);
  CHECK(timeline.files.open_count() == 3);
}

TEST_CASE("a file that is mapped again before its closing stays open") {
  TestTimeline timeline;
  timeline.exec(110, 10, "dd");
  timeline.update();
  timeline.record(exit_bytes(200, 10, 10));
  timeline.update();
  timeline.table.note_mapped(second_ns);
  timeline.table.note_mapped(2 * second_ns);
  REQUIRE(timeline.files.any_expired());
  timeline.exec(300, 11, "dd");
  timeline.update();
  timeline.files.close_expired();
  CHECK(timeline.files.open_count() == 2);
  CHECK(timeline.keeper.opens[exe_file] == 1);
}

TEST_CASE("a process whose first thread has ended keeps its files while another thread runs") {
  TestTimeline timeline;
  timeline.proc.processes[10] = {"dd", ""};
  timeline.exec(110, 10, "dd");
  timeline.record(exit_bytes(200, 10, 10));
  timeline.update();
  close_expired(timeline, second_ns);
  CHECK(timeline.files.open_count() == 2);
  timeline.proc.processes.clear();
  close_expired(timeline, 5 * second_ns);
  CHECK(timeline.files.open_count() == 0);
}

TEST_CASE("the perf map of a process that has ended is dropped") {
  TestTimeline timeline;
  timeline.proc.processes[10] = {"java", "", own_mounts + 1};
  timeline.record(comm_bytes(110, 10, 10, "java", true));
  timeline.record(mmap_bytes(111, 10, 0x1000, 0x1000, 0, {}, "//anon"));
  timeline.update();
  REQUIRE(timeline.keeper.held_maps.contains(10));
  close_expired(timeline, second_ns);
  CHECK(timeline.keeper.held_maps.contains(10));
  timeline.proc.processes.clear();
  timeline.record(exit_bytes(200, 10, 10));
  timeline.update();
  timeline.table.note_mapped(10 * second_ns);
  CHECK(timeline.files.is_perf_map_expired(10));
  timeline.files.close_expired();
  CHECK(timeline.keeper.held_maps.empty());
}

TEST_CASE("only files of the command and its descendants are opened, unless the parents are unknown") {
  TestTimeline timeline;
  timeline.table.follow(10, true);
  timeline.exec(110, 20, "stranger", plugin_b);
  timeline.exec(110, 10, "make", plugin_a);
  timeline.record(fork_bytes(120, 11, 10));
  timeline.record(fork_bytes(121, 12, 11));
  timeline.record(fork_bytes(122, 21, 20));
  timeline.exec(130, 12, "cc1");
  timeline.update();
  CHECK(timeline.files.size() == 3);
  CHECK(timeline.where(12, 140, 0x1010) == "/bin/cc1+16");
  CHECK(timeline.name(21, 140).empty());

  // The last process of interest ends. This does not make all other processes interesting.
  for (const std::uint32_t tgid : {10U, 11U, 12U}) timeline.record(exit_bytes(200, tgid, tgid));
  timeline.update();
  close_expired(timeline, second_ns);
  timeline.exec(210, 22, "stranger", plugin_b);
  timeline.update();
  CHECK(timeline.files.size() == 3);

  timeline.record(lost_bytes(220, 1));
  timeline.exec(230, 23, "orphan", plugin_b);
  timeline.update();
  CHECK(timeline.where(23, 240, 0x1010) == "/bin/orphan+16");
}

TEST_CASE("an unmapped file of a living process is found, and a new mapping is not lost") {
  constexpr FileIdentity other_disk{9, 1, 500};
  const std::string program = "1000-2000 r-xp 0 08:01 100 /bin/host\n9000-a000 r-xp 500 08:01 200 /lib/libc.so.6\n";
  const std::string plugin = "20000-21000 r-xp 0 09:01 500 /disk/plugin.so\n";
  TestTimeline timeline;
  timeline.proc.processes[10] = {"host", program + plugin};
  timeline.exec(110, 10, "host");
  timeline.record(mmap_bytes(120, 10, 0x20000, 0x1000, 0, other_disk, "/disk/plugin.so"));
  timeline.update();
  const auto look = [&](std::uint64_t at_ns) {
    timeline.proc.clock_ns = at_ns;
    timeline.survey.look_for_unmapped();
  };
  look(10 * second_ns);
  CHECK(timeline.where(10, 10 * second_ns, 0x20010) == "/disk/plugin.so+16");
  const int reads = timeline.proc.reads;
  look(10 * second_ns + 1000);  // too soon for another read
  CHECK(timeline.proc.reads == reads);

  timeline.proc.processes[10].code_lines = program;
  // The file is mapped again just after the read does not show it.
  timeline.proc.after_read = [&](std::uint32_t) {
    timeline.record(mmap_bytes(timeline.proc.clock_ns, 10, 0x20000, 0x1000, 0, other_disk, "/disk/plugin.so"));
  };
  look(20 * second_ns);
  timeline.proc.after_read = nullptr;
  CHECK(timeline.where(10, 20 * second_ns + 1000, 0x20010) == "/disk/plugin.so+16");

  look(30 * second_ns);
  CHECK(timeline.where(10, 29 * second_ns, 0x20010) == "/disk/plugin.so+16");
  CHECK(timeline.where(10, 31 * second_ns, 0x20010) == "nowhere");
  CHECK(timeline.where(10, 31 * second_ns, 0x1010) == "/bin/host+16");
  timeline.table.note_mapped(32 * second_ns);
  timeline.table.note_mapped(33 * second_ns);
  REQUIRE(timeline.files.any_expired());
  timeline.files.close_expired();
  CHECK(timeline.files.open_count() == 2);

  // A process that maps no file that could be unmounted is not read.
  const int all = timeline.proc.reads;
  look(40 * second_ns);
  CHECK(timeline.proc.reads == all);
}
