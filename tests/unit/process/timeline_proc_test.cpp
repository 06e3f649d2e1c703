// Tests the timeline with /proc: the pass at the start and its races, processes that are met late, and lost records.
#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "timeline_fixture.h"

using namespace profile;
using namespace profile::test;

namespace {

const std::string shell_lines =
    "1000-2000 r-xp 00000000 08:01 100 /bin/sh\n"
    "9000-a000 r-xp 00000500 08:01 200 /lib/libc.so.6\n"
    "70000-72000 r-xp 00000000 00:00 0 [vdso]\n"
    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n";

}  // namespace

TEST_CASE("a process that is older than the profiler is known from /proc") {
  TestTimeline timeline;
  timeline.proc.processes[10] = {"sh", shell_lines};
  timeline.survey.scan({});
  CHECK(timeline.where(10, 5, 0x1010) == "/bin/sh+16");
  CHECK(timeline.where(10, 5, 0x9000) == "/lib/libc.so.6+1280");
  CHECK(timeline.where(10, 5, 0x70010) == "vdso+16");
  CHECK(timeline.where(10, 5, 0x5000) == "nowhere");
  CHECK(timeline.name(10, 5) == "sh");
}

TEST_CASE("a mapping that comes from both /proc and a record is one mapping") {
  TestTimeline timeline;
  timeline.proc.processes[10] = {"sh", shell_lines};
  timeline.proc.after_read = [&](std::uint32_t) {
    timeline.record(mmap_bytes(timeline.proc.clock_ns, 10, 0x9000, 0x1000, 0x500, libc_file, "/lib/libc.so.6"));
  };
  timeline.survey.scan({});
  timeline.update();
  CHECK(timeline.image_at(10, 5) == timeline.image_at(10, UINT64_MAX));
  CHECK(timeline.keeper.opens[libc_file] == 1);
}

TEST_CASE("a snapshot that is older than an exec does not change the new image") {
  TestTimeline timeline;
  timeline.proc.processes[10] = {"sh", shell_lines};
  timeline.proc.after_read = [&](std::uint32_t) {
    timeline.record(comm_bytes(timeline.proc.clock_ns + 1, 10, 10, "cc1", true));
    timeline.record(mmap_bytes(timeline.proc.clock_ns + 2, 10, 0x1000, 0x1000, 0, plugin_a, "/bin/cc1"));
  };
  timeline.survey.scan({});
  timeline.proc.after_read = nullptr;
  CHECK(timeline.where(10, UINT64_MAX, 0x1010) == "/bin/cc1+16");
  CHECK(timeline.where(10, UINT64_MAX, 0x9000) == "nowhere");
  CHECK(timeline.name(10, UINT64_MAX) == "cc1");
}

TEST_CASE("a stale snapshot does not overrule a newer record") {
  TestTimeline timeline;
  timeline.proc.processes[10] = {"sh", shell_lines};
  // The record is newer than the snapshot: b.so is where the snapshot still has libc.
  timeline.proc.after_read = [&](std::uint32_t) {
    timeline.record(mmap_bytes(timeline.proc.clock_ns, 10, 0x9000, 0x1000, 0, plugin_b, "/lib/b.so"));
  };
  timeline.survey.scan({});
  CHECK(timeline.where(10, UINT64_MAX, 0x9010) == "/lib/b.so+16");
  CHECK(timeline.where(10, UINT64_MAX, 0x1010) == "/bin/sh+16");
}

TEST_CASE("a child that is forked during the scan has its parent's mappings, even if it has ended") {
  TestTimeline timeline;
  timeline.proc.processes[10] = {"sh", shell_lines};
  timeline.record(fork_bytes(100, 20, 10));
  timeline.record(exit_bytes(110, 20));
  timeline.survey.scan({});
  CHECK(timeline.where(20, 105, 0x1010) == "/bin/sh+16");
}

TEST_CASE("a parent that is first seen at its fork is read for itself and for the child") {
  TestTimeline timeline;
  timeline.proc.processes[10] = {"sh", shell_lines};
  timeline.record(fork_bytes(100, 20, 10));
  timeline.update();
  CHECK(timeline.where(20, 105, 0x1010) == "/bin/sh+16");
  CHECK(timeline.where(10, 50, 0x1010) == "/bin/sh+16");
}

TEST_CASE("a child of an unwanted parent is read separately") {
  TestTimeline timeline;
  timeline.table.want(20);
  timeline.proc.processes[20] = {"sh", shell_lines};
  timeline.record(fork_bytes(100, 20, 10));
  CHECK(timeline.where(20, 105, 0x1010) == "/bin/sh+16");
  CHECK(timeline.table.kept_count() == 1);
}

TEST_CASE("an unknown process is read from /proc once") {
  TestTimeline timeline;
  timeline.proc.processes[10] = {"sh", shell_lines};
  CHECK(timeline.where(10, 5, 0x1010) == "/bin/sh+16");
  for (int i = 0; i < 10; ++i) CHECK(timeline.where(99, 5, 0x1010) == "unknown");
  CHECK(timeline.proc.reads == 2);
}

TEST_CASE("a process that exits during the reading is unknown, not empty") {
  TestTimeline timeline;
  timeline.proc.processes[10] = {"sh", ""};
  timeline.survey.scan({});
  CHECK(timeline.where(10, 5, 0x1010) == "unknown");
}

TEST_CASE("mappings are read again after lost records") {
  TestTimeline timeline;
  timeline.record(fork_bytes(90, 10, 1));
  timeline.exec(100, 10, "sh");
  timeline.update();
  const std::uint32_t image = timeline.image_at(10, 150);
  // The record of dlopen() is lost.
  timeline.proc.processes[10] = {"sh", shell_lines + "20000-21000 r-xp 00000000 08:01 301 /lib/a.so\n"};
  timeline.lost_since = 200;
  timeline.record(lost_bytes(300, 5));
  timeline.update();
  CHECK(timeline.where(10, 350, 0x20010) == "/lib/a.so+16");
  CHECK(timeline.image_at(10, 350) == image);
  CHECK(timeline.table.lost_count() == 5);
  CHECK(timeline.survey.repairs() == 1);
}

TEST_CASE("code that no record reports is found by another look, at most once a second") {
  TestTimeline timeline;
  timeline.exec(100, 10, "sh");
  timeline.proc.processes[10] = {"sh",
                                 "1000-2000 r-xp 00000000 08:01 100 /bin/sh\n"
                                 "20000-21000 r-xp 00000000 08:01 301 /lib/a.so\n"};
  CHECK(timeline.where(10, 150, 0x20010) == "nowhere");
  timeline.survey.look_again(10);
  CHECK(timeline.where(10, 150, 0x20010) == "/lib/a.so+16");
  CHECK(timeline.where(10, 150, 0x1010) == "/bin/sh+16");
  CHECK(timeline.proc.reads == 1);
  timeline.survey.look_again(10);
  CHECK(timeline.proc.reads == 1);
  timeline.proc.clock_ns += 2'000'000'000;
  timeline.survey.look_again(10);
  CHECK(timeline.proc.reads == 2);
}

TEST_CASE("many processes are not read again in one second") {
  TestTimeline timeline;
  for (std::uint32_t tgid = 10; tgid < 1000; ++tgid) {
    timeline.proc.processes[tgid] = {"sh", shell_lines};
    timeline.survey.look_again(tgid);
  }
  CHECK(timeline.proc.reads == 20);
}

TEST_CASE("a lost exec is found, and its image begins at the beginning of the loss") {
  TestTimeline timeline;
  timeline.record(fork_bytes(90, 10, 1));
  timeline.exec(100, 10, "sh");
  timeline.update();
  timeline.proc.processes[10] = {"cc1", "401000-402000 r-xp 00000000 08:01 301 /bin/cc1\n"};
  timeline.lost_since = 200;
  timeline.record(lost_bytes(300, 5));
  CHECK(timeline.where(10, 199, 0x1010) == "/bin/sh+16");
  CHECK(timeline.where(10, 201, 0x401010) == "/bin/cc1+16");
  CHECK(timeline.where(10, 201, 0x1010) == "nowhere");
  CHECK(timeline.name(10, 199) == "sh");
  CHECK(timeline.name(10, 201) == "cc1");
}

TEST_CASE("a process whose fork was lost is found") {
  TestTimeline timeline;
  timeline.proc.processes[30] = {"sh", shell_lines};
  timeline.record(lost_bytes(300, 5));
  timeline.update();
  timeline.proc.processes.clear();
  CHECK(timeline.where(30, 350, 0x1010) == "/bin/sh+16");
}

TEST_CASE("repairs happen at most once a second while records are lost all the time") {
  TestTimeline timeline;
  for (int i = 0; i < 1000; ++i) {
    timeline.record(lost_bytes(300, 1));
    timeline.update();
  }
  CHECK(timeline.survey.repairs() == 1);
  timeline.proc.clock_ns += 1'000'000'000;
  timeline.update();
  CHECK(timeline.survey.repairs() == 2);
}

namespace {

std::vector<std::string> code_of(std::string_view text) {
  std::vector<std::string> code;
  while (const auto entry = next_code_mapping(text)) {
    code.push_back(std::to_string(entry->start) + "-" + std::to_string(entry->end) + " " +
                   std::to_string(entry->offset) + " " + std::to_string(entry->file.device_major) + ":" +
                   std::to_string(entry->file.device_minor) + " " + std::to_string(entry->file.inode) + " " +
                   std::string(entry->path));
  }
  return code;
}

}  // namespace

TEST_CASE("the snapshot of this process equals the code in its maps") {
  KernelProcSource source;
  ProcSnapshot snapshot;
  const auto self = static_cast<std::uint32_t>(::getpid());
  REQUIRE(source.read(self, snapshot));
  std::ifstream maps("/proc/self/maps");
  const std::string text{std::istreambuf_iterator<char>(maps), {}};
  std::vector<std::string> expected = code_of(text);
  std::vector<std::string> found = code_of(snapshot.code_lines);
  // PROCMAP_QUERY does not return [vsyscall], which is in no process's own list of mappings.
  std::erase_if(expected, [](const std::string& line) { return line.ends_with("[vsyscall]"); });
  std::erase_if(found, [](const std::string& line) { return line.ends_with("[vsyscall]"); });
  CHECK(found == expected);
  CHECK(found.size() >= 2);
  CHECK_FALSE(snapshot.comm.empty());
  CHECK_FALSE(snapshot.is_kernel_thread);
  CHECK(source.tgid_of(self) == self);
  CHECK(source.mount_namespace(self) == source.mount_namespace(0));
  CHECK(source.is_alive(self));
  CHECK_FALSE(source.read(0x7fffffff, snapshot));
}

TEST_CASE("a process that maps code endlessly is read at intervals, and other processes are still followed") {
  TestTimeline timeline;
  timeline.exec(100, 10, "storm");
  timeline.exec(100, 20, "honest");
  timeline.update();
  timeline.proc.processes[10] = {"storm", "1000-2000 r-xp 00000000 08:01 100 /bin/storm\n"};
  timeline.proc.processes[20] = {"honest", ""};
  constexpr std::uint64_t step_ns = 10'000;
  std::uint64_t now_ns = 1000;
  const auto map = [&](std::uint32_t tgid, bool is_a) {
    timeline.record(
        mmap_bytes(now_ns += step_ns, tgid, 0x20000, 0x1000, 0, is_a ? plugin_a : plugin_b, is_a ? "/a" : "/b"));
  };
  for (int i = 0; i < 5000; ++i) map(10, i % 2 != 0);
  map(20, true);
  const std::uint64_t mapped_ns = now_ns;
  map(20, false);
  timeline.proc.processes[10].code_lines += "20000-21000 r-xp 00000000 08:01 302 /b\n";
  timeline.proc.clock_ns = now_ns;
  timeline.update();
  CHECK(timeline.table.skipped_count() > 3900);
  CHECK(timeline.table.skipped_count() < 4100);
  CHECK(timeline.proc.reads == 1);
  // What was mapped there between the last record that was followed and the read is not known.
  CHECK(timeline.where(10, now_ns, 0x20010) == "unfollowed");
  CHECK(timeline.where(10, timeline.proc.clock_ns, 0x20010) == "/b+16");
  CHECK(timeline.where(10, now_ns, 0x1010) == "/bin/storm+16");
  CHECK(timeline.where(20, mapped_ns, 0x20010) == "/a+16");
  CHECK(timeline.where(20, now_ns, 0x20010) == "/b+16");

  // The next read is a tenth of a second later at the earliest.
  map(10, true);
  timeline.update();
  CHECK(timeline.proc.reads == 1);
  timeline.proc.processes[10].code_lines = "20000-21000 r-xp 00000000 08:01 301 /a\n";
  timeline.proc.clock_ns += 200'000'000;
  timeline.update();
  CHECK(timeline.proc.reads == 2);
  CHECK(timeline.where(10, now_ns, 0x20010) == "unfollowed");
  CHECK(timeline.where(10, timeline.proc.clock_ns, 0x20010) == "/a+16");
}

TEST_CASE("a process that maps code endlessly in many places is wholly unknown until it is read") {
  TestTimeline timeline;
  timeline.exec(100, 10, "storm");
  timeline.update();
  timeline.proc.processes[10] = {"storm", "1000-2000 r-xp 00000000 08:01 100 /bin/storm\n"};
  std::uint64_t now_ns = 1000;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const std::uint64_t place = 0x100000 + i % 500 * 0x1000;
    timeline.record(mmap_bytes(now_ns += 10'000, 10, place, 0x1000, 0, i / 500 % 2 != 0 ? plugin_a : plugin_b, "/p"));
  }
  timeline.proc.clock_ns = now_ns;
  timeline.catch_up();
  CHECK(timeline.table.kept_mappings() < 1000 * 520);
  timeline.update();
  CHECK(timeline.where(10, now_ns, 0x1010) == "unfollowed");
  CHECK(timeline.where(10, timeline.proc.clock_ns, 0x1010) == "/bin/storm+16");
  CHECK(timeline.where(10, timeline.proc.clock_ns, 0x100010) == "nowhere");
}

TEST_CASE("images that are joined are told as another image than any of them") {
  TestTimeline timeline;
  timeline.exec(100, 10, "plugins");
  std::set<std::uint32_t> told;
  std::uint64_t now_ns = 1'000'000'000;
  const std::uint64_t first_ns = now_ns + 1;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    timeline.record(mmap_bytes(++now_ns, 10, 0x20000, 0x1000, 0, i % 2 == 0 ? plugin_a : plugin_b, "/p"));
    told.insert(timeline.image_at(10, now_ns));
    now_ns += 1'000'000'000;
  }
  CHECK(timeline.table.skipped_count() == 0);
  const std::uint32_t joined = timeline.image_at(10, first_ns);
  CHECK_FALSE(told.contains(joined));
  // It has what all of them had.
  CHECK(timeline.where(10, first_ns, 0x1010) == "/bin/plugins+16");
  CHECK(timeline.where(10, first_ns, 0x20010) == "unknown");
  for (const std::uint32_t number : told)
    CHECK(timeline.table.locate(10, number, RuntimeAddress{0x1010}).file != nullptr);
}

TEST_CASE("a program that maps a thousand libraries at once is followed, and so is one that maps slowly for ever") {
  TestTimeline timeline;
  timeline.exec(100, 10, "large");
  constexpr std::uint64_t second_ns = 1'000'000'000;
  std::uint64_t now_ns = second_ns;
  for (std::uint64_t i = 0; i < 900; ++i) {
    timeline.record(mmap_bytes(++now_ns, 10, 0x100000 + 0x1000 * i, 0x1000, 0, {8, 1, 1000 + i}, "/lib"));
  }
  for (std::uint64_t i = 0; i < 5000; ++i) {
    timeline.record(
        mmap_bytes(now_ns += second_ns / 50, 10, 0x20000, 0x1000, 0, i % 2 == 0 ? plugin_a : plugin_b, "/p"));
  }
  timeline.update();
  CHECK(timeline.table.skipped_count() == 0);
}

TEST_CASE("a process that executes many programs in a row is followed") {
  TestTimeline timeline;
  std::uint64_t now_ns = 1'000'000'000;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    timeline.exec(++now_ns, 10, "again");
    timeline.record(mmap_bytes(++now_ns, 10, 0x20000, 0x1000, 0, plugin_a, "/a"));
  }
  timeline.update();
  CHECK(timeline.table.skipped_count() == 0);
  CHECK(timeline.where(10, now_ns, 0x20010) == "/a+16");
}

namespace {

// Lines of /proc/PID/maps: `count` pages with code of this inode, every other page from 16 MiB on.
std::string pages_of(std::uint64_t inode, std::uint64_t count) {
  std::ostringstream lines;
  lines << "1000-2000 r-xp 00000000 08:01 100 /bin/many\n" << std::hex;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t start = 0x1000000 + 0x2000 * i;
    lines << start << '-' << start + 0x1000 << " r-xp 00000000 08:01 " << std::dec << inode << std::hex << " /code\n";
  }
  return lines.str();
}

}  // namespace

TEST_CASE("thousands of mappings that a snapshot shows over others are one change") {
  TestTimeline timeline;
  timeline.exec(100, 10, "many");
  const auto read_after_loss = [&](std::uint64_t inode, std::uint64_t time_ns) {
    timeline.proc.processes[10] = {"many", pages_of(inode, 3000)};
    timeline.lost_since = time_ns;
    timeline.record(lost_bytes(time_ns, 1));
    timeline.proc.clock_ns += 1'000'000'000;
    timeline.update();
  };
  read_after_loss(401, 2000);
  const std::uint32_t before = timeline.image_at(10, 2500);
  for (std::uint64_t time_ns = 3000; time_ns <= 5000; time_ns += 1000) {
    read_after_loss(time_ns % 2000 == 0 ? 401 : 402, time_ns);
  }
  CHECK(timeline.image_at(10, 5500) > before);
  CHECK(timeline.where(10, 2500, 0x1000010) == "/code+16");
  CHECK(timeline.where(10, 5500, 0x1000000 + 0x2000 * 2999 + 16) == "unfollowed");
  CHECK(timeline.where(10, timeline.proc.clock_ns, 0x1000000 + 0x2000 * 2999 + 16) == "/code+16");
  // Each change is two images: what was there in between is not known.
  CHECK(timeline.table.kept_mappings() < 7 * 3100);
}

TEST_CASE("a process with many mappings that change keeps few images") {
  TestTimeline timeline;
  timeline.exec(100, 10, "many");
  timeline.proc.processes[10] = {"many", pages_of(401, 10000)};
  timeline.lost_since = 1000;
  timeline.record(lost_bytes(1000, 1));
  timeline.proc.clock_ns += 1'000'000'000;
  timeline.update();
  std::uint64_t now_ns = 2'000'000'000;
  for (std::uint64_t i = 0; i < 500; ++i) {
    timeline.record(
        mmap_bytes(now_ns += 2'000'000'000, 10, 0x1000000, 0x1000, 0, i % 2 == 0 ? plugin_b : plugin_a, "/p"));
  }
  timeline.update();
  CHECK(timeline.table.skipped_count() == 0);
  CHECK(timeline.table.kept_mappings() <= 65536 + 10004);
  CHECK(timeline.where(10, now_ns, 0x1000010) == "/p+16");
  CHECK(timeline.where(10, now_ns, 0x1000000 + 0x2000 * 9999 + 16) == "/code+16");
  // A program in between is no part of the images before it.
  timeline.exec(now_ns + 10, 10, "next");
  timeline.update();
  CHECK(timeline.where(10, now_ns + 20, 0x1000010) == "nowhere");
}

TEST_CASE("a copied text is known as the program's, also where its record came before anything else was known") {
  const std::string copied_lines =
      "1000-2000 --xp 0 08:01 100 /bin/server\n"
      "2000-5000 --xc 1000 08:01 100 /bin/server\n";
  TestTimeline timeline;
  timeline.proc.processes[10] = {"server", copied_lines};
  timeline.record(mmap_bytes(100, 10, 0x2000, 0x3000, 0, {}, "//anon"));
  timeline.update();
  CHECK(timeline.where(10, 150, 0x2010) == "/bin/server+4112");
  std::uint64_t noted = 0;
  CHECK(timeline.table.copies_since(noted).size() == 1);
  CHECK(timeline.table.copies_since(noted).empty());
}

TEST_CASE("a look at copied text that is put off is not forgotten, and each reader is told of the copy") {
  TestTimeline timeline;
  timeline.exec(100, 10, "server");
  timeline.update();
  timeline.proc.processes[10] = {"server",
                                 "1000-2000 --xp 0 08:01 100 /bin/server\n"
                                 "2000-5000 --xc 1000 08:01 100 /bin/server\n"};
  timeline.record(mmap_bytes(110, 10, 0x1000, 0x4000, 0, exe_file, "/bin/server"));
  timeline.record(mmap_bytes(120, 10, 0x2000, 0x3000, 0, {}, "//anon"));
  timeline.catch_up();
  timeline.survey.read_unknown(false);
  CHECK(timeline.survey.is_behind());
  timeline.survey.read_unknown();
  CHECK(!timeline.survey.is_behind());
  CHECK(timeline.where(10, 150, 0x2010) == "/bin/server+4112");
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  CHECK(timeline.table.copies_since(first).size() == 1);
  CHECK(timeline.table.copies_since(second).size() == 1);
}
