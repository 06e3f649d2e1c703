/* Forces process PID, which waits in a system call, to make another call: open, connect, fork, exec, socket, kill,
 * memory (an executable mmap) or getrandom, which checks the test itself. `intruder PID NAME`; prints "killed by
 * SIGNAL" or "answered VALUE".
 * `intruder PID say TIMES HEX` lets it read its next question from descriptor 3, and then write these bytes there so
 * often, as a parser does that a file has taken over; FILE in HEX is the number of the file in question. Prints how
 * many it wrote and, after a single one, what it is told then, and leaves the process stopped until it is killed. */
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

/* Attaches to the process while it waits in a system call. It may have got a request in the meantime; then it
 * continues until it waits again. */
static int attach(pid_t target, struct iovec* all) {
  int status;
  for (;;) {
    if (ptrace(PTRACE_ATTACH, target, 0, 0) != 0 || waitpid(target, &status, __WALL) != target) return fatal("attach");
    if (!WIFSTOPPED(status)) return fatal("it has ended");
    if (ptrace(PTRACE_GETREGSET, target, NT_PRSTATUS, all) != 0) return fatal("registers");
    if (waits(all->iov_base)) return 0;
    ptrace(PTRACE_DETACH, target, 0, 0);
    usleep(10000);
  }
}

/* Makes it do the call from the registers `before`. Sets *result, or *killed to the signal that ended it. */
static int make_call(pid_t target, const struct user_regs_struct* before, long number, const uint64_t* arguments,
                     long* result, int* killed) {
  struct user_regs_struct registers = *before;
  struct iovec all = {&registers, sizeof registers};
  int status;
  *killed = 0;
  prepare(&registers, number, arguments);
#ifdef __aarch64__
  int none = -1; /* prevents a restart of the interrupted call */
  struct iovec of_call = {&none, sizeof none};
  if (ptrace(PTRACE_SETREGSET, target, NT_ARM_SYSTEM_CALL, &of_call) != 0) return fatal("system call");
#endif
  if (ptrace(PTRACE_SETREGSET, target, NT_PRSTATUS, &all) != 0) return fatal("registers");
  if (ptrace(PTRACE_SINGLESTEP, target, 0, 0) != 0 || waitpid(target, &status, __WALL) != target) return fatal("step");
  if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGSYS) { /* ptrace reports the signal before it kills */
    ptrace(PTRACE_CONT, target, 0, SIGSYS);
    if (waitpid(target, &status, __WALL) != target || !WIFSIGNALED(status)) {
      printf("goes on after SIGSYS\n");
      return 1;
    }
  }
  if (WIFSIGNALED(status)) *killed = WTERMSIG(status);
  if (*killed != 0) return 0;
  if (ptrace(PTRACE_GETREGSET, target, NT_PRSTATUS, &all) != 0) return fatal("registers");
  *result = result_of(&registers);
  return 0;
}

static uint64_t stack_of(const struct user_regs_struct* registers) {
#ifdef __x86_64__
  return registers->rsp;
#else
  return registers->sp;
#endif
}

static int say(pid_t target, const struct user_regs_struct* before, long times, const char* hex) {
  enum { room = 4096, number_at = 9 }; /* a question is a head of 8 bytes, a word, and then the number of the file */
  const uint64_t at = stack_of(before) - 4 * room;
  uint8_t bytes[room];
  size_t size = 0;
  long result = 0, sent = 0;
  int killed = 0;
  const uint64_t reading[6] = {3, at, room, 0, 0, 0};
  do { /* what has only a word is no question */
    if (make_call(target, before, SYS_read, reading, &result, &killed) != 0) return 1;
    if (killed != 0 || result <= 0) return fatal("read");
  } while (result <= number_at);
  for (; *hex != '\0' && size + 8 < room; hex += 2) {
    if (strncmp(hex, "FILE", 4) == 0) {
      const long low = ptrace(PTRACE_PEEKDATA, target, at + number_at, 0);
      memcpy(bytes + size, &low, sizeof low);
      size += sizeof low;
      hex += 2;
    } else {
      unsigned value = 0;
      if (sscanf(hex, "%2x", &value) != 1) return 2;
      bytes[size++] = (uint8_t)value;
    }
  }
  for (size_t i = 0; i < size; i += sizeof(long)) {
    long word;
    memcpy(&word, bytes + i, sizeof word);
    if (ptrace(PTRACE_POKEDATA, target, at + i, word) != 0) return fatal("memory");
  }
  const uint64_t writing[6] = {3, at, size, 0, 0, 0};
  while (sent < times) {
    if (make_call(target, before, SYS_write, writing, &result, &killed) != 0) break;
    if (killed != 0 || result != (long)size) break;
    sent++;
  }
  printf("sent %ld\n", sent);
  fflush(stdout);
  if (sent == 1 && make_call(target, before, SYS_read, reading, &result, &killed) == 0 && killed == 0 && result > 0) {
    printf("told ");
    for (long i = 0; i < result; i++) printf("%02lx", ptrace(PTRACE_PEEKDATA, target, at + i, 0) & 0xff);
    printf("\n");
    fflush(stdout);
  }
  int status = 0;
  while (killed == 0 && waitpid(target, &status, __WALL) == target && WIFSTOPPED(status)) continue;
  return 0;
}

int main(int argc, char** argv) {
  struct user_regs_struct before;
  struct iovec all = {&before, sizeof before};
  size_t at = 0;
  long result = 0;
  int killed = 0;
  if (argc != 3 && argc != 5) return 2;
  const pid_t target = (pid_t)atol(argv[1]);
  if (argc == 5) {
    if (attach(target, &all) != 0) return 1;
    return say(target, &before, atol(argv[3]), argv[4]);
  }
  while (at < sizeof intrusions / sizeof *intrusions && strcmp(intrusions[at].name, argv[2]) != 0) at++;
  if (at == sizeof intrusions / sizeof *intrusions) return 2;
  if (attach(target, &all) != 0) return 1;
  if (make_call(target, &before, intrusions[at].number, intrusions[at].arguments, &result, &killed) != 0) return 1;
  if (killed != 0) return printf("killed by %d\n", killed) < 0;
  printf("answered %ld\n", result);
  ptrace(PTRACE_SETREGSET, target, NT_PRSTATUS, &all);
  ptrace(PTRACE_DETACH, target, 0, 0);
  return 0;
}
