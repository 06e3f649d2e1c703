#include "parse/sandbox.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/fd.h"
#include "support/hash.h"

namespace profile {
namespace {

// A user id that no user has, so that no user may send signals to the parser. It is in a range that systemd's
// documentation ("Users, Groups, UIDs and GIDs") leaves without a use.
constexpr uid_t no_one = 2'130'706'433;
static_assert(fetcher_uid == no_one + 1);
// More than the fetcher takes of one file by itself.
constexpr rlim_t most_fetched_bytes = rlim_t{2} << 30;
// The lines of the largest programs take half a gigabyte.
constexpr rlim_t most_memory_bytes = rlim_t{2} << 30;
// The deepest names that are demangled need 7 MB, with sanitizers three times as much.
constexpr rlim_t most_stack_bytes = rlim_t{32} << 20;

#ifdef __aarch64__
constexpr std::uint32_t own_architecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t own_architecture = AUDIT_ARCH_X86_64;
#endif

// It can send no descriptor: whoever closes the last one of a file may have to wait for the file's server.
constexpr long allowed_calls[] = {
    SYS_read, SYS_write, SYS_pread64, SYS_sendto, SYS_recvmsg, SYS_close, SYS_fstat, SYS_munmap, SYS_mremap,
    SYS_madvise, SYS_brk, SYS_futex, SYS_getrandom, SYS_exit, SYS_exit_group, SYS_clock_gettime, SYS_rt_sigreturn,
#ifdef __x86_64__
    // uretprobe and uprobe of the kernel's syscall_64.tbl. Anyone may put a probe into a library of ours, and the probe
    // calls them. Some kernels from 6.11 on pass these calls through the filter, too.
    335, 336,
#endif
#ifdef __SANITIZE_ADDRESS__
    SYS_sigaltstack,  // called before a function is left in another way than by its end
    SYS_pipe2,        // to learn whether memory is there
#endif
};
// These may give memory, but no executable memory.
constexpr long allowed_without_code[] = {SYS_mmap, SYS_mprotect};

void limit(__rlimit_resource resource, rlim_t most) noexcept {
  const rlimit both{.rlim_cur = most, .rlim_max = most};
  ::setrlimit(resource, &both);
}

void allow_only_reading() noexcept {
  constexpr std::uint32_t number_at = offsetof(seccomp_data, nr);
  constexpr std::uint32_t protection_at = offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t);  // the lower half
  std::vector<sock_filter> program;
  const auto add = [&program](const sock_filter& step) { program.push_back(step); };
  add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)));
  add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, own_architecture, 1, 0));
  add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number_at));
  for (const long call : allowed_calls) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  for (const long call : allowed_without_code) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 4));
    add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, protection_at));
    add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0));
    add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  }
  add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  const sock_fprog filter{.len = static_cast<unsigned short>(program.size()), .filter = program.data()};
  // A parser without its sandbox is worse than no parser.
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) ::_exit(1);
}

}  // namespace

void become_child(const char* name, pid_t parent, std::span<Fd> kept) noexcept {
  ::prctl(PR_SET_NAME, name);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  ::setsid();
  for (const int ending : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(ending, SIG_IGN);
  ::signal(SIGCHLD, SIG_IGN);
  renew_hash_secret();
  // Moves the descriptors above everything that may be in the way, then down to their places.
  constexpr int first = STDERR_FILENO + 1;
  std::vector<int> held;
  for (Fd& fd : kept) held.push_back(::fcntl(fd.release(), F_DUPFD, first + static_cast<int>(kept.size())));
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int standard = 0; standard < first; ++standard) ::dup2(nothing, standard);
  int next = first;
  for (const int fd : held) ::dup3(fd, next++, O_CLOEXEC);
  close_from(next);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void keep_capabilities(std::span<const int> kept) noexcept {
  std::uint64_t all_bits = 0;
  for (const int capability : kept) all_bits |= std::uint64_t{1} << capability;
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> had{};
  if (::syscall(SYS_capget, &header, had.data()) != 0) return;
  for (std::size_t word = 0; word < had.size(); ++word) {
    const auto bits = static_cast<std::uint32_t>(all_bits >> (32 * word));
    had[word].permitted &= bits;
    had[word].effective = had[word].permitted;
    had[word].inheritable = 0;
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  ::syscall(SYS_capset, &header, had.data());
}

namespace {

void become(uid_t user, int at_end_of_parent) noexcept {
  const bool is_another =
      ::setgroups(0, nullptr) == 0 && ::setresgid(user, user, user) == 0 && ::setresuid(user, user, user) == 0;
  static_cast<void>(is_another);  // with file capabilities alone this is not permitted
  keep_capabilities({});
  // The change of user has undone these two.
  ::prctl(PR_SET_PDEATHSIG, at_end_of_parent);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

}  // namespace

void become_fetcher(void (*end)(int)) noexcept {
  ::signal(SIGTERM, end);
  sigset_t term;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  ::sigprocmask(SIG_UNBLOCK, &term, nullptr);
  become(fetcher_uid, SIGTERM);
  ::signal(SIGXFSZ, SIG_IGN);  // writing then fails instead
  limit(RLIMIT_FSIZE, most_fetched_bytes);
  limit(RLIMIT_CORE, 0);
#if !defined(__SANITIZE_ADDRESS__)
  limit(RLIMIT_DATA, most_memory_bytes);
#endif
}

void enter_sandbox() noexcept {
  become(no_one, SIGKILL);
#if !defined(__SANITIZE_ADDRESS__)
  limit(RLIMIT_DATA, most_memory_bytes);
  limit(RLIMIT_AS, 2 * most_memory_bytes);  // shared memory is no data
#endif
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_STACK, most_stack_bytes);
  allow_only_reading();
}

}  // namespace profile
