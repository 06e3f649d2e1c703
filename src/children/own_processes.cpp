#include "children/own_processes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "support/error.h"
#include "support/hash.h"
#include "support/priority.h"
#include "support/process_fd.h"

namespace profile {
namespace {

// Returns `kept` at their new places.
std::vector<Fd> leave_descriptors(std::span<Fd> kept) noexcept {
  // Moves them above everything that may be in the way, then down to their places.
  constexpr int first = STDERR_FILENO + 1;
  std::vector<int> held;
  for (Fd& fd : kept) held.push_back(::fcntl(fd.release(), F_DUPFD, first + static_cast<int>(kept.size())));
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int standard = 0; standard < first; ++standard) ::dup2(nothing, standard);
  int next = first;
  std::vector<Fd> placed;
  placed.reserve(held.size());
  for (const int fd : held) placed.emplace_back(::dup3(fd, next++, O_CLOEXEC));
  close_from(next);
  return placed;
}

[[noreturn]] void run(ChildKind kind, std::span<Fd> kept, pid_t parent, const ChildWork& work) noexcept {
  const ChildRow& row = row_of(kind);
  ::prctl(PR_SET_NAME, row.name);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  // Work on files of other users, or on slow file systems, may not come before other work.
  give_up_raised_priority();
  ::setsid();
  for (const int ending : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(ending, SIG_IGN);
  ::signal(SIGCHLD, SIG_IGN);
  ::signal(SIGPIPE, SIG_IGN);
  renew_hash_secret();
  std::vector<Fd> placed = leave_descriptors(kept);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (!row.is_confined_late) confine(kind);
  ::_exit(work(std::move(placed)));
}

std::vector<OwnProcess>& listed() {
  static std::vector<OwnProcess> children;
  return children;
}

}  // namespace

OwnProcess fork_child(ChildKind kind, std::span<Fd> kept, const ChildWork& work) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw system_error("cannot start a process", errno);
  if (child == 0) run(kind, kept, parent, work);
  return {.pid = child, .process = process_fd(child)};
}

void list_own_process(const OwnProcess& child) {
  listed().push_back({.pid = child.pid, .process = Fd(::fcntl(child.process.get(), F_DUPFD_CLOEXEC, 0))});
}

std::vector<pid_t> own_processes() {
  std::erase_if(listed(), [](const OwnProcess& child) { return has_ended(child.process); });
  std::vector<pid_t> pids;
  for (const OwnProcess& child : listed()) pids.push_back(child.pid);
  return pids;
}

}  // namespace profile
