/* Waits in wait_sleep, wait_futex, wait_pipe and wait_direct (a file read past the page cache). For each it prints
 * how many microseconds it was off the CPU, by its own clocks. `waits FILE SECONDS`: FILE is read, and wait_direct
 * prints nothing if its file system has no O_DIRECT. The system calls do not go through libc, so that the frames are
 * complete. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "workload.h"

#define ROUNDS 20
/* Large, so that little CPU time lies between two waits: on a busy machine the clocks measure it badly. */
#define CHUNK (8L << 20)

static long microseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}
/* Repeats when the thread lost the CPU between the clocks: that time would be in the result, but in none of the
 * functions. */
static long off_cpu_clock(void) {
  long before, on_cpu, now;
  do {
    before = microseconds(CLOCK_MONOTONIC);
    on_cpu = microseconds(CLOCK_THREAD_CPUTIME_ID);
    now = microseconds(CLOCK_MONOTONIC);
  } while (now - before > 20);
  return now - on_cpu;
}

static const struct timespec rest = {0, 15 * 1000 * 1000};

__attribute__((noinline)) void wait_sleep(void) {
  KEEP_FRAME();
  for (int i = 0; i < ROUNDS; i++) call(SYS_nanosleep, (long)&rest, 0, 0, 0);
}

__attribute__((noinline)) void wait_futex(int* word) {
  KEEP_FRAME();
  for (int i = 0; i < ROUNDS; i++) {
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == i) call(SYS_futex, (long)word, FUTEX_WAIT, i, 0);
  }
}
static void wake(int* word) {
  for (int i = 0; i < ROUNDS; i++) {
    nanosleep(&rest, 0);
    __atomic_store_n(word, i + 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, word, FUTEX_WAKE, 1, 0, 0, 0);
  }
}

__attribute__((noinline)) void wait_pipe(int end) {
  char byte;
  KEEP_FRAME();
  for (int i = 0; i < ROUNDS; i++) call(SYS_read, end, (long)&byte, 1, 0);
}
static void feed(int end) {
  for (int i = 0; i < ROUNDS; i++) {
    nanosleep(&rest, 0);
    if (write(end, "", 1) != 1) _exit(1);
  }
}

__attribute__((noinline)) long wait_direct(int file, char* buffer, long size) {
  long done = 0;
  KEEP_FRAME();
  for (int i = 0; i < ROUNDS / 4; i++) {
    for (long at = 0; at < size; at += CHUNK) {
      const long got = call(SYS_pread64, file, (long)buffer, CHUNK, at);
      if (got <= 0) return done;
      done += got;
    }
  }
  return done;
}

#define SAY(what, wait)                                 \
  do {                                                  \
    const long before = off_cpu_clock();                \
    wait;                                               \
    printf("%s %ld\n", what, off_cpu_clock() - before); \
    fflush(stdout);                                     \
  } while (0)

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  end_after(seconds_of(argc, argv));
  int* word = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int ends[2];
  if (word == MAP_FAILED || pipe(ends)) return 1;

  SAY("sleep", wait_sleep());
  if (fork() == 0) {
    wake(word);
    _exit(0);
  }
  SAY("futex", wait_futex(word));
  if (fork() == 0) {
    feed(ends[1]);
    _exit(0);
  }
  SAY("pipe", wait_pipe(ends[0]));
  while (wait(0) > 0 || errno == EINTR) continue;

  const int file = open(argv[1], O_RDONLY | O_DIRECT);
  char* buffer = aligned_alloc(4096, CHUNK);
  const long size = file < 0 ? 0 : lseek(file, 0, SEEK_END);
  if (file >= 0 && buffer && pread(file, buffer, CHUNK, 0) > 0) SAY("direct", wait_direct(file, buffer, size));
  return 0;
}
