// Lists the system calls of each category by name.
#include "model/syscall_category.h"

#include <unordered_map>

#include "support/text_parts.h"

namespace profile {
namespace {

struct List {
  SyscallCategory category;
  std::string_view names;  // separated by spaces
};

// A test checks that no name is listed twice and that no name of the kernel's headers is missing. Calls that wait for
// descriptors and asynchronous requests count as file_io, because the call does not show what the descriptor is.
constexpr List lists[] = {
    {SyscallCategory::file_io,
     "_llseek _newselect access arm_fadvise64_64 cachestat chdir chmod chown chown32 chroot close close_range "
     "copy_file_range creat dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait "
     "epoll_pwait2 epoll_wait epoll_wait_old faccessat faccessat2 fadvise64 fadvise64_64 fallocate fanotify_init "
     "fanotify_mark fchdir fchmod fchmodat fchmodat2 fchown fchown32 fchownat fcntl fcntl64 fdatasync fgetxattr "
     "file_getattr file_setattr flistxattr flock fremovexattr fsetxattr fstat fstat64 fstatat64 fstatfs fstatfs64 "
     "fsync ftruncate ftruncate64 futimesat getcwd getdents getdents64 getxattr getxattrat inotify_add_watch "
     "inotify_init inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents "
     "io_pgetevents_time64 io_setup io_submit io_uring_enter io_uring_register io_uring_setup ioctl lchown "
     "lchown32 lgetxattr link linkat listxattr listxattrat llistxattr lookup_dcookie lremovexattr lseek lsetxattr "
     "lstat lstat64 mkdir mkdirat mknod mknodat name_to_handle_at newfstatat oldfstat oldlstat oldstat open "
     "open_by_handle_at openat openat2 poll ppoll ppoll_time64 pread64 preadv preadv2 pselect6 pselect6_time64 "
     "pwrite64 pwritev pwritev2 read readahead readdir readlink readlinkat readv removexattr removexattrat rename "
     "renameat renameat2 rmdir select sendfile sendfile64 setxattr setxattrat splice stat stat64 statfs statfs64 "
     "statx symlink symlinkat sync sync_file_range sync_file_range2 syncfs tee truncate truncate64 umask unlink "
     "unlinkat ustat utime utimensat utimensat_time64 utimes vmsplice write writev"},
    {SyscallCategory::memory,
     "brk get_mempolicy madvise map_shadow_stack mbind memfd_create memfd_secret migrate_pages mincore mlock "
     "mlock2 mlockall mmap mmap2 move_pages mprotect mremap mseal msync munlock munlockall munmap pkey_alloc "
     "pkey_free pkey_mprotect process_madvise process_mrelease remap_file_pages set_mempolicy "
     "set_mempolicy_home_node userfaultfd"},
    {SyscallCategory::process,
     "arch_prctl clone clone3 execve execveat exit exit_group fork get_robust_list get_thread_area get_tls getcpu "
     "getpgid getpgrp getpid getppid getpriority getrlimit getrusage getsid gettid ioprio_get ioprio_set kcmp "
     "membarrier modify_ldt nice personality pidfd_getfd pidfd_open prctl prlimit64 process_vm_readv "
     "process_vm_writev ptrace rseq rseq_slice_yield sched_get_priority_max sched_get_priority_min "
     "sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval "
     "sched_rr_get_interval_time64 sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield "
     "set_robust_list set_thread_area set_tid_address set_tls setns setpgid setpriority setrlimit setsid "
     "ugetrlimit ulimit unshare uselib vfork vm86 vm86old wait4 waitid waitpid"},
    {SyscallCategory::signal,
     "kill pause pidfd_send_signal restart_syscall rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo "
     "rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64 rt_tgsigqueueinfo sgetmask sigaction "
     "sigaltstack signal signalfd signalfd4 sigpending sigprocmask sigreturn sigsuspend ssetmask tgkill tkill"},
    {SyscallCategory::ipc,
     "eventfd eventfd2 futex futex_requeue futex_time64 futex_wait futex_waitv futex_wake ipc mq_getsetattr "
     "mq_notify mq_open mq_timedreceive mq_timedreceive_time64 mq_timedsend mq_timedsend_time64 mq_unlink msgctl "
     "msgget msgrcv msgsnd pipe pipe2 semctl semget semop semtimedop semtimedop_time64 shmat shmctl shmdt shmget"},
    {SyscallCategory::network,
     "accept accept4 bind connect getpeername getsockname getsockopt listen recv recvfrom recvmmsg recvmmsg_time64 "
     "recvmsg send sendmmsg sendmsg sendto setsockopt shutdown socket socketcall socketpair"},
    {SyscallCategory::time,
     "adjtimex alarm clock_adjtime clock_adjtime64 clock_getres clock_getres_time64 clock_gettime clock_gettime64 "
     "clock_nanosleep clock_nanosleep_time64 clock_settime clock_settime64 ftime getitimer gettimeofday nanosleep "
     "setitimer settimeofday stime time timer_create timer_delete timer_getoverrun timer_gettime timer_gettime64 "
     "timer_settime timer_settime64 timerfd_create timerfd_gettime timerfd_gettime64 timerfd_settime "
     "timerfd_settime64 times"},
    {SyscallCategory::security,
     "add_key capget capset getegid getegid32 geteuid geteuid32 getgid getgid32 getgroups getgroups32 getrandom "
     "getresgid getresgid32 getresuid getresuid32 getuid getuid32 keyctl landlock_add_rule landlock_create_ruleset "
     "landlock_restrict_self lsm_get_self_attr lsm_list_modules lsm_set_self_attr request_key seccomp setfsgid "
     "setfsgid32 setfsuid setfsuid32 setgid setgid32 setgroups setgroups32 setregid setregid32 setresgid "
     "setresgid32 setresuid setresuid32 setreuid setreuid32 setuid setuid32"},
    {SyscallCategory::system,
     "_sysctl acct bpf cacheflush create_module delete_module finit_module fsconfig fsmount fsopen fspick "
     "get_kernel_syms init_module ioperm iopl kexec_file_load kexec_load listmount listns mount mount_setattr "
     "move_mount nfsservctl oldolduname olduname open_tree open_tree_attr perf_event_open pivot_root query_module "
     "quotactl quotactl_fd reboot setdomainname sethostname statmount swapoff swapon sysfs sysinfo syslog umount "
     "umount2 uname uprobe uretprobe vhangup"},
    // Calls that no current kernel implements.
    {SyscallCategory::other,
     "afs_syscall bdflush break getpmsg gtty idle lock mpx prof profil putpmsg security stty tuxcall vserver"},
};

std::unordered_map<std::string_view, SyscallCategory> categories_by_name() {
  std::unordered_map<std::string_view, SyscallCategory> categories;
  for (const List& list : lists) {
    for (const std::string_view name : syscalls_of(list.category)) categories.emplace(name, list.category);
  }
  return categories;
}

}  // namespace

std::vector<std::string_view> syscalls_of(SyscallCategory category) {
  std::vector<std::string_view> names;
  for (const List& list : lists) {
    if (list.category != category) continue;
    for (std::string_view rest = list.names; !rest.empty();) names.push_back(take_until(rest, ' '));
  }
  return names;
}

SyscallCategory category_of_syscall(std::string_view name) {
  static const auto categories = categories_by_name();
  const auto found = categories.find(name);
  return found != categories.end() ? found->second : SyscallCategory::other;
}

}  // namespace profile
