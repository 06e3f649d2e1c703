#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "children/kinds.h"
#include "support/error.h"
#include "support/fd_limit.h"

namespace profile {
namespace {

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

// What a process that is alone must not call: what starts others, which would not end with the run, what leads into
// another one, and what gives memory that is not counted as its own. clone() and clone3() have rules of their own.
constexpr long calls_to_others[] = {
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_unshare,
    SYS_setns,
    SYS_memfd_create,
    SYS_shmget,
    SYS_kill,
    SYS_tkill,
    SYS_tgkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_pidfd_send_signal,
    SYS_io_uring_setup,
#ifdef __x86_64__
    SYS_fork,
    SYS_vfork,
#endif
};

void limit(__rlimit_resource resource, std::uint64_t most) noexcept {
  if (most == inherited) return;
  const rlimit both{.rlim_cur = most, .rlim_max = most};
  ::setrlimit(resource, &both);
}

// A filter for the system calls of this process.
class CallFilter {
 public:
  static constexpr std::uint32_t number_at = offsetof(seccomp_data, nr);
  // The lower half of an argument.
  static constexpr std::uint32_t argument_at(std::size_t index) {
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t));
  }

  // Calls of another architecture have other numbers, and kill the process.
  CallFilter() {
    load(offsetof(seccomp_data, arch));
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, own_architecture, 1, 0));
    answer(SECCOMP_RET_KILL_PROCESS);
    load(number_at);
  }
  void load(std::uint32_t at) { add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at)); }
  // Passes over so many steps unless it is this call.
  void skip_unless(long call, unsigned char steps) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, steps));
  }
  void skip_if_below(std::uint32_t number, unsigned char steps) {
    add(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, number, 0, steps));
  }
  // Passes over the next step if any of these bits is set.
  void skip_if_any(std::uint32_t bits) { add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0)); }
  void answer(std::uint32_t what) { add(BPF_STMT(BPF_RET | BPF_K, what)); }
  // A child without its sandbox is worse than no child.
  void install() {
    const sock_fprog filter{.len = static_cast<unsigned short>(program_.size()), .filter = program_.data()};
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) ::_exit(1);
  }

 private:
  void add(const sock_filter& step) { program_.push_back(step); }

  std::vector<sock_filter> program_;
};

void allow_only_reading() noexcept {
  CallFilter filter;
  for (const long call : allowed_calls) {
    filter.skip_unless(call, 1);
    filter.answer(SECCOMP_RET_ALLOW);
  }
  for (const long call : allowed_without_code) {
    filter.skip_unless(call, 4);
    filter.load(CallFilter::argument_at(2));
    filter.skip_if_any(PROT_EXEC);
    filter.answer(SECCOMP_RET_ALLOW);
    filter.answer(SECCOMP_RET_KILL_PROCESS);
  }
  filter.answer(SECCOMP_RET_KILL_PROCESS);
  filter.install();
}

void allow_no_processes() noexcept {
  CallFilter filter;
#ifdef __x86_64__
  // The same calls have other numbers there, for programs with short pointers.
  filter.skip_if_below(__X32_SYSCALL_BIT, 1);
  filter.answer(SECCOMP_RET_ERRNO | ENOSYS);
#endif
  for (const long call : calls_to_others) {
    filter.skip_unless(call, 1);
    filter.answer(SECCOMP_RET_ERRNO | EPERM);
  }
  // It ends with the process that started it.
  filter.skip_unless(SYS_prctl, 4);
  filter.load(CallFilter::argument_at(0));
  filter.skip_unless(PR_SET_PDEATHSIG, 1);
  filter.answer(SECCOMP_RET_ERRNO | EPERM);
  filter.answer(SECCOMP_RET_ALLOW);
  // Its flags lie in memory, where no filter can look. The C library then calls clone(), as on older kernels.
  filter.skip_unless(SYS_clone3, 1);
  filter.answer(SECCOMP_RET_ERRNO | ENOSYS);
  filter.skip_unless(SYS_clone, 4);
  filter.load(CallFilter::argument_at(0));
  filter.skip_if_any(CLONE_THREAD);
  filter.answer(SECCOMP_RET_ERRNO | EPERM);
  filter.answer(SECCOMP_RET_ALLOW);
  filter.answer(SECCOMP_RET_ALLOW);
  filter.install();
}

void keep_capabilities(std::uint64_t kept) noexcept {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> had{};
  if (::syscall(SYS_capget, &header, had.data()) != 0) return;
  for (std::size_t word = 0; word < had.size(); ++word) {
    had[word].permitted &= static_cast<std::uint32_t>(kept >> (32 * word));
    had[word].effective = had[word].permitted;
    had[word].inheritable = 0;
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  ::syscall(SYS_capset, &header, had.data());
}

void become(uid_t user) noexcept {
  const bool is_another =
      ::setgroups(0, nullptr) == 0 && ::setresgid(user, user, user) == 0 && ::setresuid(user, user, user) == 0;
  static_cast<void>(is_another);  // with file capabilities alone this is not permitted
}

}  // namespace

void confine(ChildKind kind) noexcept {
  const ChildRow& row = row_of(kind);
  if (row.descriptors != 0) raise_fd_limit(row.descriptors);
  if (row.user != 0) become(row.user);
  if (row.capabilities != inherited) keep_capabilities(row.capabilities);
  // A change of the user has undone these two.
  ::prctl(PR_SET_PDEATHSIG, row.signal_at_end);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#if !defined(__SANITIZE_ADDRESS__)
  limit(RLIMIT_DATA, row.memory_bytes);
  limit(RLIMIT_AS, row.address_bytes);
#endif
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, row.file_bytes);
  limit(RLIMIT_STACK, row.stack_bytes);
  limit(RLIMIT_NOFILE, row.most_descriptors);
  limit(RLIMIT_NPROC, row.most_threads);
  if (row.only_reads) allow_only_reading();
  if (row.is_alone) allow_no_processes();
}

void check_is_not_root(const std::string& option) {
  if (::geteuid() == 0) throw Error(option + ": its process cannot become another user than root here");
}

}  // namespace profile
