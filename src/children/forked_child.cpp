#include "children/forked_child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "children/sandbox.h"
#include "support/error.h"
#include "support/hash.h"
#include "support/process_fd.h"

namespace profile {
namespace {

// The result stands for the descriptors of `kept` at their new places.
std::vector<Fd> leave_descriptors(std::vector<Fd> kept) noexcept {
  // Moves them above everything that may be in the way, then down to their places.
  constexpr int first = STDERR_FILENO + 1;
  for (Fd& fd : kept) fd = Fd(::fcntl(fd.release(), F_DUPFD, first + static_cast<int>(kept.size())));
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int standard = 0; standard < first; ++standard) ::dup2(nothing, standard);
  int next = first;
  for (Fd& fd : kept) fd = Fd(::dup3(fd.release(), next++, O_CLOEXEC));
  close_from(next);
  return kept;
}

[[noreturn]] void run(ChildKind kind, std::vector<Fd> kept, pid_t parent, const ChildWork& work) noexcept {
  const ChildRow& row = row_of(kind);
  ::prctl(PR_SET_NAME, row.name.data());
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  ::setsid();
  for (const int ending : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(ending, SIG_IGN);
  ::signal(SIGCHLD, SIG_IGN);
  renew_hash_secret();
  kept = leave_descriptors(std::move(kept));
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (!row.is_confined_late) confine(kind);
  ::_exit(work(std::move(kept)));
}

}  // namespace

ForkedChild fork_child(ChildKind kind, std::vector<Fd> kept, const ChildWork& work) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw system_error("cannot start a process", errno);
  if (child == 0) run(kind, std::move(kept), parent, work);
  return {.pid = child, .process = process_fd(child)};
}

}  // namespace profile
