// What the timeline lets go of in runs without end: files that nobody has mapped any more.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "timeline_fixture.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr std::uint64_t minute_ns = 60'000'000'000;

class DeletingOpener final : public FileOpener {
 public:
  OpenedFile open(const FileIdentity& identity, std::string_view path, const MappedBy& mapped_by) override {
    OpenedFile opened = inner.open(identity, path, mapped_by);
    if (opened.fd) inodes[opened.fd.get()] = identity.inode;
    return opened;
  }
  std::optional<FileStamp> stamp(int fd) override { return inner.stamp(fd); }
  bool is_deleted(int fd) override { return deleted.contains(inodes[fd]); }

  FakeOpener inner;
  std::map<int, std::uint64_t> inodes;
  std::set<std::uint64_t> deleted;
};

}  // namespace

TEST_CASE("a deleted file that nobody has mapped is closed at once, another one after a while") {
  DeletingOpener opener;
  CodeFiles files(opener, 100);
  const auto mapped = files.mapped({8, 1, 1}, 1, "/mapped", {});
  const auto deleted = files.mapped({8, 1, 2}, 1, "/deleted", {});
  const auto unmapped = files.mapped({8, 1, 3}, 1, "/unmapped", {});
  const std::uint64_t number = files.at(deleted).number;
  opener.deleted = {1, 2};
  std::vector<bool> is_mapped(files.place_count(), false);
  is_mapped[mapped] = true;
  files.forget_unmapped(is_mapped, minute_ns);
  CHECK(files.open_count() == 2);
  CHECK(files.size() == 2);
  CHECK(files.at(mapped).fd() >= 0);
  CHECK(files.at(unmapped).fd() >= 0);

  // Its place is another file's then, with another number.
  const auto next = files.mapped({8, 1, 4}, 1, "/next", {});
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

TEST_CASE("a file that is mapped again meanwhile stays, and one that was forgotten is opened anew") {
  DeletingOpener opener;
  CodeFiles files(opener, 100);
  const auto id = files.mapped(exe_file, 1, "/f", {});
  files.forget_unmapped({false}, minute_ns);
  files.forget_unmapped({true}, 5 * minute_ns);
  files.forget_unmapped({false}, 12 * minute_ns);
  CHECK(files.size() == 1);
  CHECK(files.mapped(exe_file, 1, "/f", {}) == id);
  CHECK(opener.inner.opens[exe_file] == 1);
  files.forget_unmapped({false}, 30 * minute_ns);
  CHECK(files.size() == 0);
  files.mapped(exe_file, 1, "/f", {});
  CHECK(opener.inner.opens[exe_file] == 2);
  CHECK(files.size() == 1);
}

TEST_CASE("a free place is not forgotten twice") {
  DeletingOpener opener;
  CodeFiles files(opener, 100);
  files.mapped(exe_file, 1, "/f", {});
  opener.deleted = {exe_file.inode};
  files.forget_unmapped({false}, minute_ns);
  files.forget_unmapped({false}, 20 * minute_ns);
  opener.deleted.clear();
  CHECK(files.mapped({8, 1, 11}, 1, "/g", {}) != files.mapped({8, 1, 12}, 1, "/h", {}));
  CHECK(files.size() == 2);
}

TEST_CASE("when processes are forgotten their files go, but for those that others have") {
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
