// Tests files that are named by a pattern, in a real directory. A file is there complete or not at all, no file
// replaces another one of the run, and only the newest files are kept.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "files/file_series.h"
#include "support/error.h"

using namespace profile;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t second = 1'000'000'000;

class Directory {
 public:
  Directory() {
    std::string name = (fs::temp_directory_path() / "profile-series.XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Directory() { fs::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }
  // Sorted.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  // Makes a file that is one hour and `age_s` seconds old.
  void make_old(const std::string& name, int age_s) const {
    std::ofstream(*this / name) << "old";
    timespec times[2]{};
    times[0].tv_sec = times[1].tv_sec = std::time(nullptr) - 3600 - age_s;
    REQUIRE(::utimensat(AT_FDCWD, (*this / name).c_str(), times, 0) == 0);
  }

 private:
  std::string path_;
};

using Names = std::vector<std::string>;

std::string contents(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::function<void(std::ostream&)> text(const std::string& words) {
  return [words](std::ostream& out) { out << words; };
}

// A series and its messages.
struct Told {
  explicit Told(const std::string& pattern, FileSeries::Settings settings = {})
      : series(PathPattern(pattern), settings, [this](const std::string& line) { lines.push_back(line); }) {}
  std::vector<std::string> lines;
  FileSeries series;
};

// Limits the size of files to this number of bytes, so that a write fails. The signal of the limit is blocked.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    ::sigprocmask(SIG_BLOCK, &set, &before_);
    ::getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit small{.rlim_cur = bytes, .rlim_max = limit_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &limit_);
    sigset_t pending;
    if (::sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1) {
      const timespec none{};
      sigset_t set;
      sigemptyset(&set);
      sigaddset(&set, SIGXFSZ);
      ::sigtimedwait(&set, nullptr, &none);
    }
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit limit_{};
  sigset_t before_{};
};

}  // namespace

TEST_CASE("each report is a file with its number, and replaces the file of an earlier run") {
  const Directory directory;
  directory.make_old("f0002.txt", 0);
  {
    Told told(directory / "f%04d.txt");
    CHECK(directory.names() == Names{"f0002.txt"});  // the trial at the start leaves no file
    told.series.write(5 * second, text("one"));
    told.series.write(5 * second, text("two"));
    told.series.write(5 * second, text("three"));
    told.series.close();
    CHECK(told.lines.empty());
    CHECK(told.series.lost() == 0);
  }
  CHECK(directory.names() == Names{"f0001.txt", "f0002.txt", "f0003.txt"});
  CHECK(contents(directory / "f0002.txt") == "two");
}

TEST_CASE("a replaced file is a new file, so a reader of the old file keeps its content") {
  const Directory directory;
  directory.make_old("f1.txt", 0);
  std::ifstream reader(directory / "f1.txt");
  Told told(directory / "f%1d.txt");
  told.series.write(0, text("something longer"));
  CHECK(std::string(std::istreambuf_iterator<char>(reader), {}) == "old");
  CHECK(contents(directory / "f1.txt") == "something longer");
}

TEST_CASE("a symbolic link in place of a file of the series is replaced and not followed") {
  const Directory directory;
  directory.make_old("precious", 0);
  fs::create_symlink(directory / "precious", directory / "f1.txt");
  Told told(directory / "f%1d.txt");
  told.series.write(0, text("new"));
  CHECK(contents(directory / "precious") == "old");
  CHECK(contents(directory / "f1.txt") == "new");
  CHECK_FALSE(fs::is_symlink(directory / "f1.txt"));
}

TEST_CASE("two reports with the same time are two files, and an existing file stays") {
  const Directory directory;
  directory.make_old("cpu-100.pb.gz", 0);
  directory.make_old("cpu-200~2.pb.gz", 0);
  fs::create_symlink(directory / "nowhere", directory / "cpu-300.pb.gz");
  Told told(directory / "cpu-%s.pb.gz");
  told.series.write(100 * second, text("a"));
  told.series.write(100 * second, text("b"));
  told.series.write(200 * second, text("c"));
  told.series.write(200 * second, text("d"));
  told.series.write(300 * second, text("e"));
  CHECK(contents(directory / "cpu-100.pb.gz") == "old");
  CHECK(contents(directory / "cpu-100~2.pb.gz") == "a");
  CHECK(contents(directory / "cpu-100~3.pb.gz") == "b");
  CHECK(contents(directory / "cpu-200.pb.gz") == "c");
  CHECK(contents(directory / "cpu-200~2.pb.gz") == "old");
  CHECK(contents(directory / "cpu-200~3.pb.gz") == "d");
  CHECK(contents(directory / "cpu-300~2.pb.gz") == "e");
  CHECK_FALSE(fs::exists(directory / "nowhere"));
}

TEST_CASE("missing directories are made from the first varying name on, and not above it") {
  const Directory directory;
  Told told(directory / "of-%s/%s/fixed/%s.txt");
  told.series.write(100 * second, text("a"));
  told.series.write(200 * second, text("b"));
  CHECK(contents(directory / "of-100/100/fixed/100.txt") == "a");
  CHECK(contents(directory / "of-200/200/fixed/200.txt") == "b");
  CHECK(told.lines.empty());
  const std::string above = directory / "absent/%s/x.txt";
  CHECK_THROWS_AS(Told{above}, Error);
  CHECK_FALSE(fs::exists(directory / "absent"));
}

TEST_CASE("a file appears under its name only when it is whole") {
  const Directory directory;
  Told told(directory / "f%1d.txt");
  told.series.write(0, [&](std::ostream& out) {
    out << std::string(1 << 20, 'x') << std::flush;
    for (const std::string& name : directory.names()) CHECK(name[0] == '.');
  });
  CHECK(directory.names() == Names{"f1.txt"});
  CHECK(contents(directory / "f1.txt").size() == 1 << 20);
}

TEST_CASE("a file has the permissions that the umask leaves") {
  const Directory directory;
  const mode_t before = ::umask(027);
  Told told(directory / "f%1d.txt");
  told.series.write(0, text("x"));
  ::umask(before);
  struct stat status {};
  REQUIRE(::stat((directory / "f1.txt").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0640);
}

TEST_CASE("a file for its owner has no other readers") {
  const Directory directory;
  Told told(directory / "f%1d.txt", {.readers = Readers::owner});
  told.series.write(0, text("x"));
  struct stat status {};
  REQUIRE(::stat((directory / "f1.txt").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0600);
}

TEST_CASE("only the newest matching files are kept, and other files stay") {
  const Directory directory;
  directory.make_old("cpu-1.txt", 30);
  directory.make_old("cpu-2.txt", 20);
  directory.make_old("cpu-3~2.txt", 10);
  directory.make_old("cpu-x.txt", 40);
  directory.make_old("notes.txt", 40);
  fs::create_directory(directory / "cpu-4.txt");
  fs::create_symlink(directory / "notes.txt", directory / "cpu-5.txt");
  Told told(directory / "cpu-%s.txt", {.keep = 3});
  CHECK(directory.names().size() == 7);
  told.series.write(100 * second, text("a"));
  const Names others = {"cpu-4.txt", "cpu-5.txt", "cpu-x.txt", "notes.txt"};
  const auto with_others = [&](Names names) {
    names.insert(names.end(), others.begin(), others.end());
    std::sort(names.begin(), names.end());
    return names;
  };
  CHECK(directory.names() == with_others({"cpu-100.txt", "cpu-2.txt", "cpu-3~2.txt"}));
  for (std::uint64_t s = 101; s < 110; ++s) told.series.write(s * second, text("b"));
  CHECK(directory.names() == with_others({"cpu-107.txt", "cpu-108.txt", "cpu-109.txt"}));
  // The same holds for files of one name.
  for (int i = 0; i < 5; ++i) told.series.write(200 * second, text("c"));
  CHECK(directory.names() == with_others({"cpu-200~3.txt", "cpu-200~4.txt", "cpu-200~5.txt"}));
}

TEST_CASE("a file that was just written is kept, even if other files claim to be newer") {
  const Directory directory;
  directory.make_old("cpu-1.txt", -100'000);
  Told told(directory / "cpu-%s.txt", {.keep = 1});
  told.series.write(2 * second, text("x"));
  CHECK(directory.names() == Names{"cpu-2.txt"});
}

TEST_CASE("the latest files of this run are kept when the clock is set back") {
  const Directory directory;
  Told told(directory / "cpu-%s.txt", {.keep = 3});
  directory.make_old("cpu-7.txt", -200'000);
  for (std::uint64_t s = 1000; s < 1003; ++s) told.series.write(s * second, text("a"));
  // The files get the times of a clock that is a day ahead.
  for (const char* name : {"cpu-1000.txt", "cpu-1001.txt", "cpu-1002.txt"}) {
    if (fs::exists(directory / name)) directory.make_old(name, -100'000);
  }
  CHECK(directory.names() == Names{"cpu-1000.txt", "cpu-1001.txt", "cpu-1002.txt"});
  told.series.write(500 * second, text("b"));
  told.series.write(501 * second, text("b"));
  CHECK(directory.names() == Names{"cpu-1002.txt", "cpu-500.txt", "cpu-501.txt"});
  // The same second comes twice: each file gets its own name, and none is overwritten.
  told.series.write(501 * second, text("c"));
  told.series.write(500 * second, text("d"));
  CHECK(directory.names() == Names{"cpu-500~2.txt", "cpu-501.txt", "cpu-501~2.txt"});
  CHECK(contents(directory / "cpu-501.txt") == "b");
}

TEST_CASE("files of another user are not removed") {
  if (::geteuid() != 0) return;
  const Directory directory;
  directory.make_old("cpu-1.txt", 0);
  REQUIRE(::chown((directory / "cpu-1.txt").c_str(), 65534, 65534) == 0);
  Told told(directory / "cpu-%s.txt", {.keep = 1});
  told.series.write(2 * second, text("x"));
  CHECK(directory.names() == Names{"cpu-1.txt", "cpu-2.txt"});
}

TEST_CASE("a directory that becomes another user's link loses reports, and nothing is written or removed there") {
  if (::geteuid() != 0) return;
  const Directory directory;
  const Directory shared;
  REQUIRE(::chmod(shared.path().c_str(), 01777) == 0);
  fs::create_directory(shared / "d");
  for (const char* name : {"cpu-1.txt", "cpu-2.txt"}) directory.make_old(name, 0);
  Told told(shared / "d/cpu-%s.txt", {.keep = 1});
  told.series.write(100 * second, text("a"));
  fs::rename(shared / "d", shared / "e");
  fs::create_symlink(directory.path(), shared / "d");
  REQUIRE(::lchown((shared / "d").c_str(), 65534, 65534) == 0);
  told.series.write(200 * second, text("b"));
  CHECK(directory.names() == Names{"cpu-1.txt", "cpu-2.txt"});
  CHECK(told.series.lost() == 1);
  REQUIRE(told.lines.size() == 1);
  CHECK(told.lines[0].find("the link " + (shared / "d") + " belongs to user 65534") != std::string::npos);
}

TEST_CASE("a file of another user is not replaced where others may write") {
  if (::geteuid() != 0) return;
  const Directory shared;
  REQUIRE(::chmod(shared.path().c_str(), 01777) == 0);
  Told told(shared / "f%1d.txt");
  shared.make_old("f1.txt", 0);
  REQUIRE(::chown((shared / "f1.txt").c_str(), 65534, 65534) == 0);
  told.series.write(0, text("new"));
  CHECK(contents(shared / "f1.txt") == "old");
  CHECK(told.series.lost() == 1);
  CHECK_THROWS_AS(Told(shared / "f%1d.txt"), Error);
  CHECK(shared.names() == Names{"f1.txt"});
}

TEST_CASE("a path that cannot be written is refused at the start") {
  const Directory directory;
  CHECK_THROWS_AS(Told(directory / "no/f%04d.txt"), Error);
  CHECK_THROWS_AS(Told(directory / "no/no/f%04d.txt", {.makes_directory = true}), Error);
  CHECK_THROWS_AS(Told(directory / (std::string(300, 'x') + "%04d")), Error);
  CHECK_THROWS_AS(Told("/proc/f%04d.txt"), Error);
  std::ofstream(directory / "file") << "x";
  CHECK_THROWS_AS(Told(directory / "file/f%04d.txt"), Error);
  CHECK(directory.names() == Names{"file"});
}

TEST_CASE("files to be kept must be in one directory") {
  const Directory directory;
  try {
    Told told(directory / "%H/f%04d.txt", {.keep = 1});
    FAIL("not refused");
  } catch (const Error& error) {
    CHECK(error.exit_status() == Error::misused);
  }
}

TEST_CASE("a directory is made if it is requested or if its name contains the time") {
  const Directory directory;
  Told film(directory / "frames/f%04d.txt", {.makes_directory = true});
  film.series.write(0, text("x"));
  CHECK(contents(directory / "frames/f0001.txt") == "x");
  Told dated(directory / "at-%s/f.txt");
  dated.series.write(100 * second, text("y"));
  dated.series.write(101 * second, text("z"));
  CHECK(contents(directory / "at-100/f.txt") == "y");
  CHECK(contents(directory / "at-101/f.txt") == "z");
}

TEST_CASE("several failures in a row are reported once, and the next file is reported with the number of failures") {
  const Directory directory;
  fs::create_directory(directory / "d");
  Told told(directory / "d/f%04d.txt");
  told.series.write(0, text("x"));
  fs::rename(directory / "d", directory / "e");
  for (int i = 0; i < 3; ++i) told.series.write(0, text("lost"));
  REQUIRE(told.lines.size() == 1);
  CHECK(told.lines[0].find("cannot write " + (directory / "d/f0002.txt") + ": No such file") != std::string::npos);
  CHECK(told.series.lost() == 3);
  fs::rename(directory / "e", directory / "d");
  told.series.write(0, text("y"));
  REQUIRE(told.lines.size() == 2);
  CHECK(told.lines[1].find("f0002.txt is written; 3 reports before it could not be") != std::string::npos);
  fs::rename(directory / "d", directory / "e");
  told.series.write(0, text("lost"));
  told.series.write(0, text("lost"));
  told.series.close();
  REQUIRE(told.lines.size() == 4);
  CHECK(told.lines[3].find("2 reports of ") != std::string::npos);
  CHECK(told.series.lost() == 5);
  fs::rename(directory / "e", directory / "d");
  CHECK(contents(directory / "d/f0002.txt") == "y");
  CHECK(fs::directory_entry(directory / "d/f0002.txt").hard_link_count() == 1);
}

TEST_CASE("a file that fails during writing leaves nothing, and the next file is tried") {
  const Directory directory;
  Told told(directory / "f%1d.txt", {.keep = 5});
  {
    const SmallFiles limit(100'000);
    told.series.write(0, text(std::string(1'000'000, 'x')));
    CHECK(directory.names().empty());
    CHECK(told.series.lost() == 1);
    REQUIRE(told.lines.size() == 1);
    CHECK(told.lines[0].find("File too large") != std::string::npos);
  }
  told.series.write(0, text(std::string(1'000'000, 'x')));
  CHECK(contents(directory / "f1.txt").size() == 1'000'000);
}

TEST_CASE("a series keeps no file open") {
  const Directory directory;
  const auto open_files = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const auto before = open_files();
  Told told(directory / "f%s.txt", {.keep = 2});
  for (std::uint64_t i = 0; i < 50; ++i) told.series.write(i * second, text("x"));
  CHECK(open_files() == before);
}
