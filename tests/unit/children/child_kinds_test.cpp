// Tests what children have of this process: the rights of their row of the table, and the descriptors that were given.
// Promise 6: no file of another user is parsed by the main process, or can stop it.
#include "children/kinds.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "children/detached_child.h"
#include "children/own_processes.h"
#include "support/priority.h"
#include "support/process_fd.h"
#include "support/text_file.h"

namespace profile {
namespace {

// A child of that kind that does nothing until this ends.
class IdleChild {
 public:
  explicit IdleChild(ChildKind kind) {
    auto [ours, its] = new_socket_pair();
    child_ = fork_child(kind, std::span(&its, 1), [kind](const std::vector<Fd>& sockets) {
      if (row_of(kind).is_confined_late) confine(kind);
      char byte = 0;
      return ::write(sockets[0].get(), &byte, 1) == 1 && ::read(sockets[0].get(), &byte, 1) == 0 ? 0 : 1;
    });
    char byte = 0;
    REQUIRE(::read(ours.get(), &byte, 1) == 1);
    socket_ = std::move(ours);
  }
  ~IdleChild() {
    kill_process(child_.process);
    ::waitpid(child_.pid, nullptr, 0);
  }
  IdleChild(const IdleChild&) = delete;
  IdleChild& operator=(const IdleChild&) = delete;

  [[nodiscard]] int niceness() const { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(child_.pid)); }
  [[nodiscard]] std::string status(const char* field) const {
    const std::string text = read_text_file("/proc/" + std::to_string(child_.pid) + "/status").value_or("");
    return std::string(find_field(text, field).value_or(""));
  }
  // Its exit status.
  [[nodiscard]] int ended() {
    socket_.reset();
    int status = 0;
    return ::waitpid(child_.pid, &status, 0) == child_.pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  OwnProcess child_;
  Fd socket_;
};

// A process that has the number of one that has ended, until this ends.
class Successor {
 public:
  // False from has_number(): the number cannot be chosen here, or another process has got it.
  explicit Successor(pid_t number) {
    constexpr int most_tries = 100;
    for (int i = 0; i < most_tries && !has_number_; ++i) {
      const Fd last(::open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC));
      const std::string text = std::to_string(number - 1);
      if (::write(last.get(), text.data(), text.size()) < 0) return;
      const pid_t child = ::fork();
      if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) ::pause();
      }
      process_ = process_fd(child);
      has_number_ = child == number;
      if (!has_number_) kill_process(process_);
    }
  }
  ~Successor() { kill_process(process_); }
  Successor(const Successor&) = delete;
  Successor& operator=(const Successor&) = delete;
  [[nodiscard]] bool has_number() const { return has_number_; }
  [[nodiscard]] bool is_there() const { return !has_ended(process_); }

 private:
  Fd process_;
  bool has_number_ = false;
};

bool is_listed(pid_t pid) {
  const std::vector<pid_t> own = own_processes();
  return std::ranges::find(own, pid) != own.end();
}

}  // namespace

TEST_CASE("a child has the name and only the rights of its row") {
  for (const ChildRow& row : child_rows) {
    CAPTURE(std::string(row.name));
    IdleChild child(row.kind);
    CHECK(child.status("Name") == row.name);
    CHECK(std::string(row.name).size() < 16);  // Linux cuts off the rest
    for (const char* set : {"CapPrm", "CapEff"}) {
      CHECK((std::stoull(child.status(set), nullptr, 16) & ~row.capabilities) == 0);
    }
    CHECK(child.status("NoNewPrivs") == "1");
    if (row.only_reads || row.is_alone) CHECK(child.status("Seccomp") == "2");
    if (::geteuid() == 0 && row.user != 0) {
      const std::string user = std::to_string(row.user);
      std::string users = user;
      for (int i = 0; i < 3; ++i) users += '\t' + user;
      CHECK(child.status("Uid") == users);
      CHECK(child.status("Groups").find_first_not_of(" \t") == std::string::npos);
    }
    CHECK(child.ended() == 0);
  }
}

TEST_CASE("no child has the priority that its parent raised for itself") {
  const RaisedPriority raised;  // where that is permitted
  const int own = ::getpriority(PRIO_PROCESS, 0);
  for (const ChildRow& row : child_rows) {
    CAPTURE(std::string(row.name));
    const IdleChild child(row.kind);
    CHECK(child.niceness() == (own < 0 ? 0 : own));
  }
}

TEST_CASE("a child that is alone starts threads, but no process and no program") {
  for (const ChildRow& row : child_rows) {
    if (!row.is_alone) continue;
    CAPTURE(std::string(row.name));
    auto [ours, its] = new_socket_pair();
    const OwnProcess child = fork_child(row.kind, std::span(&its, 1), [&row](const std::vector<Fd>&) {
      if (row.is_confined_late) confine(row.kind);
      int from_thread = 0;
      std::thread([&] { from_thread = 1; }).join();
      if (from_thread != 1) return 1;
      const pid_t forked = ::fork();
      if (forked == 0) ::_exit(0);
      if (forked > 0 || errno != EPERM) return 2;
      if (::syscall(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0) >= 0 || errno != EPERM) return 3;
#ifdef __x86_64__
      if (::syscall(__X32_SYSCALL_BIT | SYS_fork) >= 0 || errno != ENOSYS) return 5;
#endif
      if (::prctl(PR_SET_PDEATHSIG, 0) == 0 || errno != EPERM || ::prctl(PR_SET_NAME, "other") != 0) return 6;
      char* const none[] = {nullptr};
      if (::execve("/bin/true", none, none) == 0 || errno != EPERM) return 4;
      return 0;
    });
    int status = -1;
    REQUIRE(::waitpid(child.pid, &status, 0) == child.pid);
    CHECK(status == 0);
  }
}

TEST_CASE("a detached child has its socket and no other descriptor of this process") {
  const Fd inherited_by_others(::dup(STDERR_FILENO));
  DetachedChild child([](const Fd& socket) {
    for (int fd = 0; fd < socket.get(); ++fd) {
      std::error_code error;
      if (std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error) != "/dev/null") return EBADF;
    }
    return socket.get() == STDERR_FILENO + 1 && ::close(socket.get() + 1) != 0 ? ENOTUNIQ : EMFILE;
  });
  CHECK(child.finish(Deadline(std::chrono::seconds(60))) == ENOTUNIQ);
}

TEST_CASE("a detached child that has ended is not killed by its number") {
  // The kernel then gives the number to others as soon as the child has ended.
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  std::optional<DetachedChild> child(std::in_place, [](const Fd& socket) {
    char byte = 0;
    return ::read(socket.get(), &byte, 1) == 0 ? 0 : 1;
  });
  const pid_t pid = own_processes().back();
  const Fd process = process_fd(pid);
  child->take_socket().reset();
  while (!has_ended(process)) ::usleep(1000);
  Successor successor(pid);
  CHECK_FALSE(is_listed(pid));
  child.reset();
  ::usleep(10'000);
  if (successor.has_number()) CHECK(successor.is_there());
  ::signal(SIGCHLD, before);
}

TEST_CASE("a child that does not come to an end is left behind, and is listed until it has ended") {
  DetachedChild child([](const Fd&) {
    for (;;) ::pause();
    return 0;
  });
  const pid_t pid = own_processes().back();
  CHECK(child.finish(Deadline(std::chrono::milliseconds(50))) == ETIMEDOUT);
  while (!child.is_gone()) ::usleep(1000);
  CHECK_FALSE(is_listed(pid));
}

}  // namespace profile
