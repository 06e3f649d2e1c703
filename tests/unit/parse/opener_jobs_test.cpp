// Tests what the opener's threads do, in this process: whose files are given up when one never answers, and with which
// rights files are read.
#include "parse/opener_jobs.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "children/channel.h"
#include "children/wire.h"
#include "elf_fixture.h"
#include "process/proc_maps.h"
#include "support/fd.h"
#include "support/text_file.h"

namespace profile {
namespace {

constexpr std::uint32_t user = 65534;

// A child that has mapped what this process has, and that becomes another user if it may.
class ChildProcess {
 public:
  ChildProcess() {
    auto [ours, its] = new_socket_pair();
    socket_ = std::move(ours);
    pid_ = ::fork();
    if (pid_ != 0) return;
    socket_.reset();
    char word = 0;
    while (::read(its.get(), &word, 1) == 1) {
      word = ::setuid(user) == 0 ? 'y' : 'n';
      if (::write(its.get(), &word, 1) != 1) break;
    }
    ::_exit(0);
  }
  ~ChildProcess() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // False: it may not.
  bool become_user() const {
    char word = 0;
    REQUIRE(::write(socket_.get(), &word, 1) == 1);
    REQUIRE(::read(socket_.get(), &word, 1) == 1);
    return word == 'y';
  }
  [[nodiscard]] std::uint32_t tgid() const { return static_cast<std::uint32_t>(pid_); }

 private:
  Fd socket_;
  pid_t pid_ = -1;
};

struct Mapped {
  FileIdentity identity;
  std::string path;
  MappedBy by;
  [[nodiscard]] FileQuestion question(std::uint64_t number) const {
    return {.number = FileNumber{number}, .identity = identity, .path = path, .mapped_by = by};
  }
};

// What a child has mapped of the file with this in its path.
Mapped mapped_by(const ChildProcess& process, std::string_view name) {
  const auto maps = read_text_file("/proc/self/maps", 16 << 20);
  std::string_view rest = maps ? std::string_view(*maps) : std::string_view();
  while (const auto entry = next_code_mapping(rest)) {
    if (entry->path.find(name) == std::string_view::npos) continue;
    return {.identity = entry->file,
            .path = std::string(entry->path),
            .by = {.tgid = process.tgid(), .own_mounts = true, .start = entry->start, .end = entry->end}};
  }
  return {};
}

class Jobs {
 public:
  // Does the job and returns the reason in its answer.
  template <class... Values>
  FileFault run(OpenerCall call, const Values&... values) {
    begun.clear();
    jobs_.run({.id = 1, .call = call, .rest = message_of(values...)});
    const auto answer = main_.receive();
    REQUIRE(answer);
    WireReader in(answer->bytes);
    in.get<std::uint64_t>();
    const auto reason = in.one_of(FileFault::count);
    states.clear();
    while (call == OpenerCall::state && !in.is_whole()) states.push_back(in.one_of(FileState::count));
    return reason;
  }

 private:
  std::pair<Fd, Fd> ends_ = new_socket_pair();
  WaitingChannel opener_{std::move(ends_.first)};
  WaitingChannel main_{std::move(ends_.second)};
  DebugFileSearch places_{std::vector<std::string>()};

 public:
  std::vector<FileOwner> begun;            // the owners that the last job has told
  std::vector<FileState> states;           // from its answer
  std::function<void()> at_begin = [] {};  // called when a job tells one
  OpenerFiles files{opener_};

 private:
  OpenerJobs jobs_{files, places_, [this](const FileOwner& owner, bool) {
                     begun.push_back(owner);
                     at_begin();
                     return true;
                   }};
};

// A library of the system that a user's process has mapped, opened under this number. Null where that cannot be had:
// when the user is root, or when the file system does not tell the owner.
KeptFilePtr open_library(Jobs& jobs, const Mapped& library, std::uint64_t number) {
  const FileFault reason = jobs.run(OpenerCall::open, library.question(number));
  const KeptFilePtr kept = jobs.files.find(FileNumber{number});
  REQUIRE((reason == FileFault::none) == (kept != nullptr));
  if (kept && kept->content_owner == 0 && kept->process_owner.uid != 0) return kept;
  MESSAGE("no user's process, or no owner of the system's files, can be had here");
  return nullptr;
}

}  // namespace

TEST_CASE("a file of root stays open to others when the files of the user who mapped it first are given up") {
  const ChildProcess process;
  process.become_user();
  const Mapped library = mapped_by(process, "/libc");
  Jobs jobs;
  const KeptFilePtr kept = open_library(jobs, library, 1);
  if (!kept) return;
  CHECK(kept->owner.uid == 0);
  CHECK(kept->owner.part != 0);
  jobs.files.ban(kept->process_owner);
  CHECK(jobs.run(OpenerCall::state, FileNumber{1}) == FileFault::none);
  // It may be handed over, but there is no parser.
  CHECK(jobs.run(OpenerCall::hand, FileNumber{1}, WayNumber{0}, FileKind::elf) == FileFault::parser_gave_up);
  // It can also be opened in the name of that user, if the kernel shows exactly what is mapped.
  char place[96];
  std::snprintf(place, sizeof place, "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, library.by.tgid,
                library.by.start, library.by.end);
  const bool is_shown = static_cast<bool>(Fd(::open(place, O_PATH | O_CLOEXEC)));
  CHECK(jobs.run(OpenerCall::open, library.question(2)) == (is_shown ? FileFault::none : FileFault::no_answer));
  jobs.files.ban(kept->owner);
  CHECK(jobs.run(OpenerCall::state, FileNumber{1}) == FileFault::no_answer);
  CHECK(jobs.run(OpenerCall::open, library.question(3)) == FileFault::no_answer);
}

TEST_CASE("a program of a user is given up with the files of that user, whoever runs it") {
  if (::geteuid() != 0) return;
  const std::string path = test::directory().file("program_of_user");
  std::ofstream(path) << "content";
  REQUIRE(::chmod(path.c_str(), 0755) == 0);
  REQUIRE(::chown(path.c_str(), user, user) == 0);
  struct stat found {};
  REQUIRE(::stat(path.c_str(), &found) == 0);
  const ChildProcess process;
  const Mapped program{
      .identity = {.device_major = major(found.st_dev), .device_minor = minor(found.st_dev), .inode = found.st_ino},
      .path = path,
      .by = {.tgid = process.tgid(), .own_mounts = true}};
  Jobs jobs;
  REQUIRE(jobs.run(OpenerCall::open, program.question(1)) == FileFault::none);
  const KeptFilePtr kept = jobs.files.find(FileNumber{1});
  REQUIRE(kept);
  if (kept->content_owner != user) return;  // this file system does not tell the owner
  CHECK(kept->owner == FileOwner{.uid = user});
  jobs.files.ban(FileOwner{.uid = user});
  CHECK(jobs.run(OpenerCall::state, FileNumber{1}) == FileFault::no_answer);
  CHECK(jobs.run(OpenerCall::open, program.question(2)) == FileFault::no_answer);
}

TEST_CASE("a question for the states of files is told of those with the same owner") {
  if (::geteuid() != 0) return;
  const ChildProcess process;
  Jobs jobs;
  std::string path;
  for (const std::uint64_t number : {1, 2, 3}) {
    path = test::directory().file("program_" + std::to_string(number));
    std::ofstream(path) << "content";
    const uid_t owner = number == 3 ? user + 1 : user;
    REQUIRE(::chown(path.c_str(), owner, owner) == 0);
    struct stat found {};
    REQUIRE(::stat(path.c_str(), &found) == 0);
    const Mapped program{
        .identity = {.device_major = major(found.st_dev), .device_minor = minor(found.st_dev), .inode = found.st_ino},
        .path = path,
        .by = {.tgid = process.tgid(), .own_mounts = true}};
    REQUIRE(jobs.run(OpenerCall::open, program.question(number)) == FileFault::none);
  }
  if (jobs.files.find(FileNumber{3})->content_owner != user + 1) return;  // this file system does not tell the owner
  std::ofstream(test::directory().file("program_2")) << "another content";
  const std::vector others{FileNumber{2}, FileNumber{3}, FileNumber{4}};
  CHECK(jobs.run(OpenerCall::state, FileNumber{1}, others) == FileFault::none);
  CHECK(jobs.states ==
        std::vector<FileState>{FileState::same, FileState::changed, FileState::unknown, FileState::unknown});
  CHECK(jobs.begun == std::vector<FileOwner>(2, FileOwner{.uid = user}));
}

TEST_CASE("a look for a debug file is at the cost of the one in whose files it is") {
  const ChildProcess process;
  process.become_user();
  Jobs jobs;
  const KeptFilePtr kept = open_library(jobs, mapped_by(process, "/libc"), 1);
  if (!kept) return;
  const auto look = [&jobs] {
    const FileFault reason = jobs.run(OpenerCall::debug, FileNumber{2}, WayNumber{0}, FileNumber{1},
                                      DebugQuestion::Kind::link, std::string("no such file.debug"), 0U);
    CHECK(reason == FileFault::gone);
    return jobs.begun;
  };
  // Beside the file and in .debug, as the process sees them; in the directory of the system.
  const std::vector<FileOwner> all = look();
  REQUIRE(all.size() == 4);
  CHECK(all[0] == kept->owner);
  CHECK(all[1] == kept->process_owner);
  CHECK(all[2] == kept->process_owner);
  CHECK(all[3].uid == 0);
  CHECK(all[3] != kept->owner);
  jobs.files.ban(kept->process_owner);
  CHECK(look() == std::vector<FileOwner>{all[0], all[3]});
}

TEST_CASE("the rights of a process do not count if it changes its user while its file is opened") {
  if (::geteuid() != 0) return;
  const std::string path = std::filesystem::read_symlink("/proc/self/exe");
  for (const bool may_change : {false, true}) {
    const ChildProcess process;
    Jobs jobs;
    bool is_changed = false;
    jobs.at_begin = [&] { is_changed = may_change && process.become_user(); };
    if (jobs.run(OpenerCall::open, mapped_by(process, path).question(1)) != FileFault::none) return;
    const KeptFilePtr kept = jobs.files.find(FileNumber{1});
    REQUIRE(kept);
    CHECK(kept->rights.has_value() == !is_changed);
  }
}

}  // namespace profile
