// Tests the files that the timeline keeps, and the tables of mappings.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "process/file_opener.h"
#include "timeline_fixture.h"

using namespace profile;
using namespace profile::test;

TEST_CASE("a file is opened once for all processes that map it") {
  TestTimeline timeline;
  for (std::uint32_t tgid = 10; tgid < 60; ++tgid) {
    timeline.record(fork_bytes(tgid, tgid, 1));
    timeline.exec(100 + tgid, tgid, "dd");
    timeline.update();
  }
  CHECK(timeline.keeper.opens[libc_file] == 1);
  CHECK(timeline.files.size() == 2);
}

TEST_CASE("the files that are unused for longest are closed near the limit, and are opened again on request") {
  FakeKeeper keeper;
  CodeFiles files(keeper, 16);
  for (std::uint64_t inode = 1; inode <= 100; ++inode) files.mapped({8, 1, inode, 1}, "/f", {});
  CHECK(files.open_count() <= 16);
  CHECK(can_be_read(files, 99));
  CHECK(keeper.opens[{8, 1, 100}] == 1);
  CHECK(can_be_read(files, 0));
  CHECK(keeper.opens[{8, 1, 1}] == 2);
  CHECK(files.open_count() <= 16);
}

TEST_CASE("a user whose files fill the limit closes no file of others") {
  FakeKeeper keeper;
  CodeFiles files(keeper, 16);
  for (std::uint64_t inode = 1; inode <= 8; ++inode) files.mapped({8, 1, inode, 1}, "/f", {});
  keeper.owner = 2000;
  files.mapped({8, 1, 9, 1}, "/f", {});
  keeper.owner = 2002;
  for (std::uint64_t inode = 10; inode <= 100; ++inode) files.mapped({8, 1, inode, 1}, "/f", {});
  CHECK(files.open_count() <= 16);
  for (CodeFiles::Id id = 0; id < 9; ++id) CHECK(files.at(id).is_open());
}

TEST_CASE("a file that has changed before it is opened again is reported as changed") {
  FakeKeeper keeper;
  CodeFiles files(keeper, 1);
  files.mapped({8, 1, 1, 1}, "/f", {});
  files.mapped({8, 1, 2, 1}, "/g", {});
  keeper.modified_ns = 2;
  CHECK_FALSE(can_be_read(files, 0));
  CHECK(files.at(0).unreadable == FileFault::changed);
}

TEST_CASE("a file that is rewritten in place is another file for later mappings") {
  FakeKeeper keeper;
  CodeFiles files(keeper, 16);
  const auto before = files.mapped(exe_file, "/f", {});
  keeper.modified_ns = 2;
  files.begin_batch();
  const auto after = files.mapped(exe_file, "/f", {});
  CHECK(before != after);
  CHECK(can_be_read(files, after));
  CHECK_FALSE(can_be_read(files, before));
  CHECK(files.at(before).unreadable == FileFault::changed);
}

TEST_CASE("the states of files that programs map one after the other are asked for at once") {
  FakeKeeper keeper;
  CodeFiles files(keeper, 16);
  const std::vector<FileIdentity> all{exe_file, libc_file, plugin_a};
  const auto map_all = [&] {
    std::vector<CodeFiles::Id> ids;
    for (const FileIdentity& identity : all) ids.push_back(files.mapped(identity, "/f", {}));
    return ids;
  };
  const std::vector<CodeFiles::Id> first = map_all();
  files.begin_batch();
  CHECK(map_all() == first);
  CHECK(keeper.state_questions == 3);
  files.begin_batch();
  CHECK(map_all() == first);
  CHECK(keeper.state_questions == 4);

  // One of them is asked for, and all were rewritten.
  keeper.modified_ns = 2;
  files.begin_batch();
  CHECK(files.mapped(exe_file, "/f", {}) != first[0]);
  CHECK(files.mapped(libc_file, "/f", {}) != first[1]);
  CHECK(keeper.state_questions == 5);

  // What is not needed any more is not asked for, and another owner's file is not asked for with these.
  keeper.owner = 1000;
  files.mapped(plugin_b, "/f", {});
  files.begin_batch();
  files.mapped(plugin_b, "/f", {});
  files.begin_batch();
  files.mapped(exe_file, "/f", {});
  files.mapped(plugin_b, "/f", {});
  CHECK(keeper.state_questions == 8);
}

TEST_CASE("a file stays the same file if a late answer shows no change") {
  FakeKeeper keeper;
  CodeFiles files(keeper, 16);
  const auto before = files.mapped(exe_file, "/f", {});
  REQUIRE(can_be_read(files, before));
  keeper.is_silent = true;
  files.begin_batch();
  const auto since = files.mapped(exe_file, "/f", {});
  CHECK(files.mapped(exe_file, "/f", {}) == since);
  keeper.is_silent = false;
  files.wait_for_states(std::chrono::milliseconds(0));
  CHECK(&files.at(since) == &files.at(before));
  CHECK(can_be_read(files, since));
  CHECK(files.itself(files.mapped(exe_file, "/f", {})) == before);
  CHECK(keeper.opens[exe_file] == 1);
  // The process that mapped it meanwhile keeps it known.
  std::vector<bool> is_mapped(files.place_count(), false);
  is_mapped[since] = is_mapped[files.itself(since)] = true;
  files.forget_unmapped(is_mapped, 1);
  files.forget_unmapped(is_mapped, 700'000'000'000);
  CHECK(can_be_read(files, since));
}

TEST_CASE("a file becomes another file for later mappings if a late answer shows a change") {
  FakeKeeper keeper;
  CodeFiles files(keeper, 16);
  const auto before = files.mapped(exe_file, "/f", {});
  keeper.is_silent = true;
  keeper.modified_ns = 2;
  files.begin_batch();
  const auto since = files.mapped(exe_file, "/f", {});
  keeper.is_silent = false;
  files.wait_for_states(std::chrono::milliseconds(0));
  CHECK(&files.at(since) != &files.at(before));
  CHECK(can_be_read(files, since));
  CHECK_FALSE(can_be_read(files, before));
  CHECK(files.at(before).unreadable == FileFault::changed);
  CHECK(keeper.opens[exe_file] == 2);
}

TEST_CASE("a file is not read for later mappings if the answer never comes") {
  FakeKeeper keeper;
  CodeFiles files(keeper, 16);
  const auto before = files.mapped(exe_file, "/f", {});
  REQUIRE(can_be_read(files, before));
  keeper.is_silent = true;
  files.begin_batch();
  const auto since = files.mapped(exe_file, "/f", {});
  CHECK(&files.at(since) != &files.at(before));
  CHECK_FALSE(can_be_read(files, since));
  CHECK(files.at(since).unreadable == FileFault::not_opened);
  CHECK(can_be_read(files, before));
}

TEST_CASE("a missing file is reported as gone, and a new file with its inode is another file") {
  FakeKeeper keeper;
  CodeFiles files(keeper, 16);
  keeper.gone = true;
  const auto gone = files.mapped(exe_file, "/conftest (deleted)", {});
  CHECK_FALSE(can_be_read(files, gone));
  CHECK(files.at(gone).unreadable == FileFault::gone);
  CHECK(files.at(gone).path == "/conftest");
  keeper.gone = false;
  const auto next = files.mapped({8, 1, 100, 2}, "/conftest", {});
  CHECK(next != gone);
  CHECK(can_be_read(files, next));
}

TEST_CASE(
    "a file about which no answer comes is not told to be on a file system that is stuck, and is read after an "
    "answer") {
  FakeKeeper keeper;
  CodeFiles files(keeper, 16);
  keeper.is_silent = true;
  const auto file = files.mapped(exe_file, "/f", {});
  CHECK_FALSE(can_be_read(files, file));
  CHECK(files.at(file).unreadable == FileFault::not_opened);
  CHECK(files.mapped(exe_file, "/f", {}) == file);
  CHECK(keeper.opens[exe_file] == 1);
  keeper.is_silent = false;
  CHECK(can_be_read(files, file));
  CHECK(files.at(file).unreadable == FileFault::none);
}

TEST_CASE("a file that cannot be opened through one process is opened through another one") {
  FakeKeeper keeper;
  CodeFiles files(keeper, 16);
  keeper.is_silent = true;
  keeper.gone = true;
  const auto file = files.mapped(exe_file, "/f", {.tgid = 1});
  keeper.gone = false;
  files.mapped(exe_file, "/f", {.tgid = 2, .own_mounts = true});
  files.mapped(exe_file, "/f", {.tgid = 3});
  keeper.is_silent = false;
  CHECK(can_be_read(files, file));
  CHECK(keeper.last_mapped_by.tgid == 2);
  CHECK(keeper.opens[exe_file] == 2);
}

TEST_CASE("a file that is forgotten before it answers is closed at its answer") {
  FakeKeeper keeper;
  CodeFiles files(keeper, 16);
  keeper.is_silent = true;
  files.mapped(exe_file, "/f", {});
  files.forget_unmapped({false}, 1);
  files.forget_unmapped({false}, 700'000'000'000);
  CHECK(files.size() == 0);
  keeper.is_silent = false;
  files.begin_batch();
  CHECK(keeper.open_numbers.empty());
  CHECK(files.open_count() == 0);
}

TEST_CASE("a file that was given up is closed and stays closed") {
  FakeKeeper keeper;
  CodeFiles files(keeper, 16);
  const auto file = files.mapped(exe_file, "/f", {});
  REQUIRE(can_be_read(files, file));
  files.at(file).give_up(FileFault::parser_gave_up);
  CHECK(keeper.open_numbers.empty());
  files.begin_batch();
  CHECK(files.mapped(exe_file, "/f", {}) == file);
  CHECK_FALSE(can_be_read(files, file));
  CHECK(files.at(file).unreadable == FileFault::parser_gave_up);
  CHECK(keeper.opens[exe_file] == 1);
}

TEST_CASE("a child sees the profiler's mounts if its parent sees them") {
  TestTimeline timeline;
  timeline.proc.processes[10] = {"sh", "1000-2000 r-xp 00000000 08:01 100 /bin/sh\n"};
  timeline.proc.processes[11] = {"boxed", "1000-2000 r-xp 00000000 08:01 100 /bin/sh\n", own_mounts + 1};
  timeline.survey.scan({});
  timeline.record(fork_bytes(100, 20, 10));
  timeline.record(comm_bytes(110, 20, 20, "cc1", true));
  timeline.record(mmap_bytes(111, 20, 0x1000, 0x1000, 0, plugin_a, "/bin/cc1"));
  timeline.update();
  CHECK(timeline.keeper.last_mapped_by.own_mounts);
  timeline.record(fork_bytes(100, 21, 11));
  timeline.record(comm_bytes(110, 21, 21, "cc1", true));
  timeline.record(mmap_bytes(111, 21, 0x1000, 0x1000, 0, plugin_b, "/bin/cc1"));
  timeline.update();
  CHECK_FALSE(timeline.keeper.last_mapped_by.own_mounts);
}

TEST_CASE("the mounts of a known process are remembered if it ends before its exec is read") {
  TestTimeline timeline;
  timeline.proc.processes[10] = {"sh", "1000-2000 r-xp 00000000 08:01 100 /bin/sh\n"};
  timeline.survey.scan({});
  timeline.proc.processes.clear();
  timeline.record(comm_bytes(110, 10, 10, "cc1", true));
  timeline.record(mmap_bytes(111, 10, 0x1000, 0x1000, 0, plugin_a, "/bin/cc1"));
  timeline.update();
  CHECK(timeline.keeper.last_mapped_by.own_mounts);
}

TEST_CASE("the mounts of a command are known though it ends before its records are read") {
  TestTimeline timeline;
  timeline.proc.processes[10] = {"profile", ""};
  timeline.table.follow(10, true);
  timeline.proc.processes.clear();
  timeline.record(comm_bytes(110, 10, 10, "brief", true));
  timeline.record(mmap_bytes(111, 10, 0x1000, 0x1000, 0, plugin_a, "/bin/brief"));
  timeline.update();
  CHECK(timeline.keeper.last_mapped_by.own_mounts);
}

TEST_CASE("random mappings never overlap, and each address has its latest mapping") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    MappingTable table;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> truth(64);  // file and offset of each address; 0: no mapping
    const auto mapping_from = [&random](std::uint64_t start, std::uint64_t most) {
      const std::uint64_t end = start + 1 + random() % most;
      return Mapping{start, end, 100 + random() % 3, 1 + static_cast<std::uint32_t>(random() % 2), CodeKind::file};
    };
    for (int i = 0; i < 20; ++i) {
      std::vector<Mapping> put;
      if (random() % 2 == 0) {
        const std::uint64_t start = random() % 60;
        put.push_back(mapping_from(start, 64 - start));
        table.put(put.back());
      } else {
        for (std::uint64_t at = random() % 60; at < 60; at = put.back().end + random() % 9) {
          put.push_back(mapping_from(at, 4));
        }
        table.put_all(put);
      }
      for (const Mapping& mapping : put) {
        for (std::uint64_t at = mapping.start; at < mapping.end; ++at) {
          truth[at] = {mapping.file, mapping.offset + at - mapping.start};
        }
      }
    }
    std::uint64_t last_end = 0;
    for (const Mapping& mapping : table.mappings()) {
      CHECK(mapping.start >= last_end);
      CHECK(mapping.end > mapping.start);
      last_end = mapping.end;
    }
    for (std::uint64_t at = 0; at < 64; ++at) {
      const Mapping* found = table.find(at);
      REQUIRE((found != nullptr) == (truth[at].first != 0));
      if (found == nullptr) continue;
      CHECK(found->file == truth[at].first);
      CHECK(found->offset + at - found->start == truth[at].second);
    }
  }
}

TEST_CASE("a JIT compiler with a hundred thousand mappings keeps a small table") {
  MappingTable table;
  table.put({0x100000, 0x200000, 0, 1, CodeKind::file});
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    table.put({0x10000000 + i * 0x4000, 0x10001000 + i * 0x4000, 0, 0, CodeKind::anonymous});
  }
  CHECK(table.mappings().size() < 2000);
  REQUIRE(table.find(0x10000000 + 99'999 * 0x4000) != nullptr);
  CHECK(table.find(0x100000)->kind == CodeKind::file);
}

TEST_CASE("a mount is found by its id, and its type is found after the tags") {
  const std::string_view text =
      "21 1 254:0 / / rw,noatime - ext4 /dev/root rw\n"
      "121 21 0:45 / /srv/a\\040b rw master:1 propagate_from:2 - fuse.sshfs host: rw\n"
      "12 21 0:46 /sub /x rw shared:5 - btrfs /dev/sdb rw\n"
      "bad\n";
  CHECK(find_mount(text, 21)->type == "ext4");
  CHECK(find_mount(text, 121)->type == "fuse.sshfs");
  const auto btrfs = find_mount(text, 12);
  REQUIRE(btrfs);
  CHECK(btrfs->device_minor == 46);
  CHECK(btrfs->type == "btrfs");
  CHECK_FALSE(find_mount(text, 2));
  CHECK_FALSE(find_mount("21 1 254:0 / / rw", 21));
  // A tag that ends in a dash is no separator.
  CHECK(find_mount("21 1 254:0 / / rw tag- fuse.a x rw - ext4 /dev/x rw", 21)->type == "ext4");
}

namespace {

// A directory of the test, with one small file in it.
struct Sandbox {
  Sandbox() {
    REQUIRE(::mkdtemp(directory.data()) != nullptr);
    std::ofstream(path("real")) << "code";
  }
  ~Sandbox() {
    for (const char* name : {"real", "fifo", "link", "empty", "other"}) ::unlink(path(name).c_str());
    ::rmdir(directory.c_str());
  }
  [[nodiscard]] std::string path(const char* name) const { return directory + "/" + name; }
  [[nodiscard]] FileIdentity identity(const char* name) const {
    struct stat found {};
    REQUIRE(::stat(path(name).c_str(), &found) == 0);
    return {::major(found.st_dev), ::minor(found.st_dev), found.st_ino};
  }
  std::string directory = "/tmp/profile-files-XXXXXX";
};

const MappedBy nobody{0x7fffffff, true, 0, 0};

}  // namespace

TEST_CASE("the file of a process that has ended is opened by its path, if it is still the same file") {
  const Sandbox box;
  FileOpener opener;
  const OpenedFile opened = opener.open(box.identity("real"), box.path("real"), nobody);
  REQUIRE(opened.fd);
  CHECK(FileOpener::stamp(opened.fd.get()).value_or(FileStamp{}).has_content_of(opened.stamp));
  FileIdentity other = box.identity("real");
  ++other.inode;
  CHECK(opener.open(other, box.path("real"), nobody).reason == FileFault::changed);
  CHECK_FALSE(opener.open(other, box.path("real"), nobody).fd);
  CHECK(opener.open(other, box.path("nothing"), nobody).reason == FileFault::gone);
}

TEST_CASE("a file that was written again with the same size and time of modification has another content") {
  const Sandbox box;
  const std::string path = box.path("real");
  const Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  const timespec times[2] = {{1000, 0}, {1000, 0}};
  REQUIRE(::futimens(fd.get(), times) == 0);
  const auto before = FileOpener::stamp(fd.get());
  REQUIRE(before);
  // What is changed below may get the same time before the kernel's clock has moved on.
  const auto later = [&] {
    ::usleep(20'000);
    return FileOpener::stamp(fd.get()).value_or(FileStamp{});
  };
  CHECK(later().has_content_of(*before));
  SUBCASE("written again") {
    ::usleep(20'000);
    REQUIRE(::pwrite(fd.get(), "edoc", 4, 0) == 4);
    REQUIRE(::futimens(fd.get(), times) == 0);
    CHECK_FALSE(later().has_content_of(*before));
  }
  // These change the time of change, too, but not the content.
  SUBCASE("other permissions") {
    ::usleep(20'000);
    REQUIRE(::fchmod(fd.get(), 0700) == 0);
    CHECK(later().has_content_of(*before));
  }
  SUBCASE("another name") {
    ::usleep(20'000);
    REQUIRE(::rename(path.c_str(), box.path("other").c_str()) == 0);
    CHECK(later().has_content_of(*before));
  }
  SUBCASE("no name") {
    ::usleep(20'000);
    REQUIRE(::unlink(path.c_str()) == 0);
    CHECK(later().has_content_of(*before));
  }
  SUBCASE("one more name") {
    ::usleep(20'000);
    REQUIRE(::link(path.c_str(), box.path("other").c_str()) == 0);
    CHECK(later().has_content_of(*before));
  }
}

TEST_CASE("a file with the number of an earlier one, but another generation, is not opened for it") {
  const Sandbox box;
  FileOpener opener;
  const OpenedFile opened = opener.open(box.identity("real"), box.path("real"), nobody);
  REQUIRE(opened.fd);
  const std::uint32_t generation = opened.stamp.generation;
  FileIdentity identity = box.identity("real");
  identity.generation = generation;
  CHECK(opener.open(identity, box.path("real"), nobody).fd);
  ++identity.generation;
  const OpenedFile other = opener.open(identity, box.path("real"), nobody);
  // Some file systems do not tell the generation.
  CHECK(static_cast<bool>(other.fd) == (generation == 0));
  if (!other.fd) CHECK(other.reason == FileFault::changed);
}

TEST_CASE("memory with a program is opened through the mapping, and other memory is not") {
  for (const bool is_program : {true, false}) {
    const Fd memory(::memfd_create("made", MFD_CLOEXEC));
    const std::string content = is_program ? "\177ELF and more" : "machine code";
    REQUIRE(::write(memory.get(), content.data(), content.size()) == static_cast<ssize_t>(content.size()));
    struct stat found {};
    REQUIRE(::fstat(memory.get(), &found) == 0);
    void* pages = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, memory.get(), 0);
    REQUIRE(pages != MAP_FAILED);
    const auto start = reinterpret_cast<std::uint64_t>(pages);
    const MappedBy mapped_by{static_cast<std::uint32_t>(::getpid()), true, start, start + 4096};
    FileOpener opener;
    const OpenedFile opened =
        opener.open({::major(found.st_dev), ::minor(found.st_dev), found.st_ino}, "/memfd:made", mapped_by);
    ::munmap(pages, 4096);
    if (::geteuid() != 0) continue;  // only a privileged process can follow map_files
    CHECK(static_cast<bool>(opened.fd) == is_program);
    if (!is_program) CHECK(opened.reason == FileFault::malformed);
  }
}

TEST_CASE("a path of another mount namespace is not looked up in the profiler's namespace") {
  const Sandbox box;
  FileOpener opener;
  CHECK_FALSE(opener.open(box.identity("real"), box.path("real"), {0x7fffffff, false, 0, 0}).fd);
}

TEST_CASE("a FIFO, a device, a directory or an empty file is not opened as code") {
  const Sandbox box;
  FileOpener opener;
  REQUIRE(::mkfifo(box.path("fifo").c_str(), 0600) == 0);
  CHECK_FALSE(opener.open(box.identity("fifo"), box.path("fifo"), nobody).fd);
  std::ofstream(box.path("empty")).flush();
  CHECK_FALSE(opener.open(box.identity("empty"), box.path("empty"), nobody).fd);
  CHECK_FALSE(opener.open(box.identity("real"), "/dev/zero", nobody).fd);
  CHECK_FALSE(opener.open(box.identity("real"), box.directory, nobody).fd);
}

TEST_CASE("a path through a magic link of /proc is not followed") {
  const Sandbox box;
  FileOpener opener;
  const Fd held(::open(box.path("real").c_str(), O_RDONLY | O_CLOEXEC));
  const std::string through = "/proc/self/fd/" + std::to_string(held.get());
  CHECK_FALSE(opener.open(box.identity("real"), through, nobody).fd);
}

TEST_CASE("a mapped file is opened through the mapping, even if it was deleted") {
  const Sandbox box;
  const FileIdentity identity = box.identity("real");
  const Fd held(::open(box.path("real").c_str(), O_RDONLY | O_CLOEXEC));
  void* pages = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, held.get(), 0);
  REQUIRE(pages != MAP_FAILED);
  REQUIRE(::unlink(box.path("real").c_str()) == 0);
  const auto start = reinterpret_cast<std::uint64_t>(pages);
  const MappedBy mapped_by{static_cast<std::uint32_t>(::getpid()), true, start, start + 4096};
  FileOpener opener;
  const OpenedFile opened = opener.open(identity, box.path("real"), mapped_by);
  // Only a privileged process can follow map_files.
  if (::geteuid() == 0) CHECK(opened.fd);
  if (!opened.fd) CHECK(opened.reason == FileFault::gone);
  // A new file at the same path is not the one that was mapped.
  std::ofstream(box.path("real")) << "other code";
  CHECK_FALSE(opener.open(identity, box.path("real"), {mapped_by.tgid, true, 0, 1}).fd);
  ::munmap(pages, 4096);
}

TEST_CASE("a file that another user has mapped first gets its true owner from a process with our mounts") {
  constexpr std::uint64_t stranger = std::uint64_t{1001} << 32;
  const MappedBy strange{.tgid = 10, .own_mounts = false, .start = 0, .end = 1};
  const MappedBy own{.tgid = 20, .own_mounts = true, .start = 0, .end = 1};
  FakeKeeper keeper;
  CodeFiles files(keeper, 100);
  keeper.owner = stranger;
  const auto id = files.mapped(libc_file, "/libc", strange);
  const FileNumber number = files.at(id).number;
  CHECK(files.at(id).owner() == stranger);

  SUBCASE("and then counts as new") {
    keeper.owner = 0;
    CHECK(files.mapped(libc_file, "/libc", own) == id);
    files.take_answers();
    CHECK(files.at(id).owner() == 0);
    CHECK(files.at(id).number != number);
    CHECK(files.at(id).mapped_by().tgid == 20);
    CHECK(files.take_replaced() == std::vector{number});
    CHECK(files.take_replaced().empty());
    CHECK(keeper.open_numbers == std::set{files.at(id).number});
    CHECK(files.open_count() == 1);
    files.mapped(libc_file, "/libc", own);
    CHECK(keeper.opens[libc_file] == 2);
  }
  SUBCASE("also while the answer about the other user is late") {
    keeper.is_silent = true;
    const auto late = files.mapped(exe_file, "/exe", strange);
    files.mapped(exe_file, "/exe", own);
    keeper.is_silent = false;
    files.take_answers();
    CHECK(keeper.opens[exe_file] == 2);
    CHECK(files.at(late).mapped_by().tgid == 10);  // the fake keeper has said the same of both
    CHECK(keeper.open_numbers.size() == 2);
  }
  SUBCASE("unless that process has ended; another one may follow") {
    keeper.gone = true;
    files.mapped(libc_file, "/libc", own);
    files.take_answers();
    CHECK(files.at(id).is_open());
    CHECK(files.at(id).number == number);
    keeper.gone = false;
    keeper.owner = 0;
    files.mapped(libc_file, "/libc", own);
    files.take_answers();
    CHECK(files.at(id).owner() == 0);
  }
  SUBCASE("unless it has another content there") {
    keeper.owner = 0;
    keeper.is_silent = true;
    files.mapped(libc_file, "/libc", own);
    keeper.is_silent = false;
    keeper.answers.back().stamp.size_bytes = 2000;
    files.take_answers();
    CHECK(files.at(id).owner() == stranger);
    CHECK(keeper.open_numbers == std::set{number});
  }
}
