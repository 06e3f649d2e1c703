/* Forces process PID, which waits in a system call, to make another call: open, connect, fork, exec, socket, kill,
 * memory (an executable mmap) or getrandom, which checks the test itself. `intruder PID NAME`; prints "killed by
 * SIGNAL" or "answered VALUE". */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "workload.h"

/* The calls are valid except for their pointers: 0 is no address. */
static const struct {
  const char* name;
  long number;
  uint64_t arguments[6];
} intrusions[] = {
    {"open", SYS_openat, {(uint64_t)-100, 0, 0, 0, 0, 0}},
    {"connect", SYS_connect, {(uint64_t)-1, 0, 0, 0, 0, 0}},
    {"fork", SYS_clone, {SIGCHLD, 0, 0, 0, 0, 0}},
    {"exec", SYS_execve, {0, 0, 0, 0, 0, 0}},
    {"socket", SYS_socket, {1, 1, 0, 0, 0, 0}},
    {"kill", SYS_kill, {1, 0, 0, 0, 0, 0}},
    {"memory", SYS_mmap, {0, 4096, 7, 0x22, (uint64_t)-1, 0}},
    {"getrandom", SYS_getrandom, {0, 0, 0, 0, 0, 0}},
};

static int fatal(const char* what) {
  fprintf(stderr, "intruder: %s: %s\n", what, strerror(errno));
  return 1;
}

#ifdef __x86_64__
static void prepare(struct user_regs_struct* registers, long number, const uint64_t* arguments) {
  registers->rip -= 2; /* back to the system call instruction */
  registers->orig_rax = (unsigned long)-1;
  registers->rax = (unsigned long)number;
  registers->rdi = arguments[0], registers->rsi = arguments[1], registers->rdx = arguments[2];
  registers->r10 = arguments[3], registers->r8 = arguments[4], registers->r9 = arguments[5];
}
static long result_of(const struct user_regs_struct* registers) { return (long)registers->rax; }
static int waits(const struct user_regs_struct* registers) { return (long)registers->orig_rax >= 0; }
#else
static void prepare(struct user_regs_struct* registers, long number, const uint64_t* arguments) {
  registers->pc -= 4;
  registers->regs[8] = (uint64_t)number;
  for (int at = 0; at < 6; at++) registers->regs[at] = arguments[at];
}
static long result_of(const struct user_regs_struct* registers) { return (long)registers->regs[0]; }
static int waits(const struct user_regs_struct* registers) {
  (void)registers; /* arm64 does not show whether a call was interrupted */
  return 1;
}
#endif

int main(int argc, char** argv) {
  struct user_regs_struct registers;
  struct iovec all = {&registers, sizeof registers};
  size_t at = 0;
  int status;
  if (argc != 3) return 2;
  const pid_t target = (pid_t)atol(argv[1]);
  while (at < sizeof intrusions / sizeof *intrusions && strcmp(intrusions[at].name, argv[2]) != 0) at++;
  if (at == sizeof intrusions / sizeof *intrusions) return 2;
  /* The process may have got a request in the meantime. Then it continues until it waits again. */
  for (;;) {
    if (ptrace(PTRACE_ATTACH, target, 0, 0) != 0 || waitpid(target, &status, __WALL) != target) return fatal("attach");
    if (!WIFSTOPPED(status)) return fatal("it has ended");
    if (ptrace(PTRACE_GETREGSET, target, NT_PRSTATUS, &all) != 0) return fatal("registers");
    if (waits(&registers)) break;
    ptrace(PTRACE_DETACH, target, 0, 0);
    usleep(10000);
  }
  const struct user_regs_struct before = registers;
  prepare(&registers, intrusions[at].number, intrusions[at].arguments);
#ifdef __aarch64__
  int none = -1; /* prevents a restart of the interrupted call */
  struct iovec number = {&none, sizeof none};
  if (ptrace(PTRACE_SETREGSET, target, NT_ARM_SYSTEM_CALL, &number) != 0) return fatal("system call");
#endif
  if (ptrace(PTRACE_SETREGSET, target, NT_PRSTATUS, &all) != 0) return fatal("registers");
  if (ptrace(PTRACE_SINGLESTEP, target, 0, 0) != 0 || waitpid(target, &status, __WALL) != target) return fatal("step");
  if (WIFSIGNALED(status)) return printf("killed by %d\n", WTERMSIG(status)) < 0;
  if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGSYS) { /* ptrace reports the signal before it kills */
    ptrace(PTRACE_CONT, target, 0, SIGSYS);
    if (waitpid(target, &status, __WALL) == target && WIFSIGNALED(status))
      return printf("killed by %d\n", WTERMSIG(status)) < 0;
    return printf("goes on after SIGSYS\n") < 0;
  }
  ptrace(PTRACE_GETREGSET, target, NT_PRSTATUS, &all);
  printf("answered %ld\n", result_of(&registers));
  registers = before;
  ptrace(PTRACE_SETREGSET, target, NT_PRSTATUS, &all);
  ptrace(PTRACE_DETACH, target, 0, 0);
  return 0;
}
