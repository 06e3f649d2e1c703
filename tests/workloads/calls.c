/* calls [TIMES]: makes known numbers of system calls, each kind from its own function, and few others. TIMES (1)
 * times:
 *   1000 getppid, 200 read, 100 write (a third fails with EBADF), 60 open of a missing file (ENOENT),
 *   10 clock_nanosleep of 20 ms, 50 bytes sent and received over a socket pair, 1 pause that a signal
 *   ends (EINTR). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "workload.h"

static void check(int is_true) {
  if (!is_true) _exit(1);
}

void ask_parent(void) {
  for (int i = 0; i < 1000; i++) check(getppid() >= 0);
}

void read_zeros(int fd) {
  char byte;
  for (int i = 0; i < 200; i++) check(read(fd, &byte, 1) == 1);
}

void write_nothing(int fd) {
  for (int i = 0; i < 100; i++) check(write(i % 3 == 2 ? -1 : fd, "", 1) == (i % 3 == 2 ? -1 : 1));
}

void open_absent(void) {
  for (int i = 0; i < 60; i++) check(open("/absent/file", O_RDONLY) == -1);
}

void nap(void) {
  const struct timespec length = {.tv_nsec = 20 * 1000 * 1000};
  for (int i = 0; i < 10; i++) check(clock_nanosleep(CLOCK_MONOTONIC, 0, &length, NULL) == 0);
}

void talk(void) {
  int ends[2];
  char byte = 0;
  check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  for (int i = 0; i < 50; i++) {
    check(send(ends[0], &byte, 1, 0) == 1);
    check(recv(ends[1], &byte, 1, 0) == 1);
  }
}

static void hear(int number) { (void)number; }

void wait_for_alarm(void) {
  const struct sigaction action = {.sa_handler = hear};
  /* The timer repeats, because the first signal may come before pause(). */
  const struct itimerval soon = {.it_value = {.tv_usec = 10 * 1000}, .it_interval = {.tv_usec = 10 * 1000}};
  const struct itimerval never = {0};
  check(sigaction(SIGALRM, &action, NULL) == 0);
  check(setitimer(ITIMER_REAL, &soon, NULL) == 0);
  check(pause() == -1 && errno == EINTR);
  check(setitimer(ITIMER_REAL, &never, NULL) == 0);
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 1;
  const int zeros = open("/dev/zero", O_RDONLY);
  const int nothing = open("/dev/null", O_WRONLY);
  check(zeros >= 0 && nothing >= 0);
  for (int i = 0; i < times; i++) {
    ask_parent();
    read_zeros(zeros);
    write_nothing(nothing);
    open_absent();
    nap();
    talk();
    wait_for_alarm();
  }
  return 0;
}
