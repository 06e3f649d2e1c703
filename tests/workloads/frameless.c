/* Stacks without frame pointers, in the shapes that compilers make. It is compiled without them. `frameless SHAPE
 * SECONDS` burns in spin() until its end; its stacks, from main on:
 *   plain      first;second;third;spin
 *   variable   variable;spin           a frame whose size is not known at compile time
 *   aligned    aligned;spin            a realigned frame of such a size
 *   many       many;spin               saves all callee-saved registers
 *   tail       spin                    the call was a jump
 *   last       last;ends               the call is the last instruction of its function
 *   signal     interrupted;HANDLER;handler;spin   on a stack of its own
 *   context    a context that began in routine: routine;spin
 *   child      parent;spin             in a child of vfork
 *   roomy      roomy;spin              a frame of 40 KB, as compilers and interpreters have in many frames together
 *   steep      descend 40 times;spin   samples fall in prologues and epilogues, too
 *   probed     first;second;third;spin   the returns of all three are probed; status 3 if the kernel cannot do that
 *   written    written;spin            in assembly, with its own CFI: the CFA in rbx, only on x86-64
 *   lowest     at_the_lowest_word;lowest;bottom   in assembly: the memory below bottom's return address cannot be read
 *   naps       nap_here;nanosleep   a millisecond each
 *   waits      wait_here;pthread_cond_timedwait   for a condition that never comes, a millisecond each
 *   asks       ask_here;keep_here;malloc   once, 5000 bytes that stay; then ask_here;malloc   of freed pieces
 *   writes     write_here;pwrite    of a block to the device that PROFILE_TEST_FILE names
 *   parked     nap_for_good;nanosleep   for an hour
 *   lazy       lazy;the dynamic linker   with LD_BIND_NOT each call of the library is looked up again
 *   swapped    swapped;outer;middle;inner   the last three in a copy of this program that other threads replace, split
 * and join while it runs, and map elsewhere and unmap */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "workload.h"

#define NAMED __attribute__((noinline, noclone, used))
/* The compiler must not move code across this. */
#define FENCE() __asm__ volatile("" ::: "memory")

NAMED void spin(void) {
  for (unsigned long turn = 0; turn < 20 * UNIT; turn++) FENCE();
}

NAMED static void third(void) {
  spin();
  FENCE();
}
NAMED static void second(void) {
  third();
  FENCE();
}
NAMED static void first(void) {
  second();
  FENCE();
}

static volatile size_t some = 200;
NAMED static void variable(void) {
  char place[some];
  __asm__ volatile("" ::"r"(place) : "memory");
  spin();
  FENCE();
}
NAMED static void aligned(void) {
  __attribute__((aligned(64))) char fixed[64];
  char place[some];
  __asm__ volatile("" ::"r"(place), "r"(fixed) : "memory");
  spin();
  FENCE();
}

NAMED static void roomy(void) {
  char place[40000];
  for (size_t at = 0; at < sizeof place; at++) ((volatile char*)place)[at] = 0;
  spin();
  FENCE();
}

NAMED static void many(void) {
  unsigned long a = some, b = some + 1, c = some + 2, d = some + 3, e = some + 4, f = some + 5;
  __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
  spin();
  __asm__ volatile("" ::"r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f));
}

NAMED __attribute__((optimize("optimize-sibling-calls"))) static void tail(void) { spin(); }

__attribute__((noinline, noreturn)) static void ends(void) {
  for (;;) FENCE();
}
__attribute__((noinline, noreturn)) static void last(void) {
  FENCE();
  ends();
}

static void handler(int number) {
  (void)number;
  spin();
  FENCE();
}
NAMED static void interrupted(void) {
  for (;;) raise(SIGUSR1);
}
static void on_own_stack(void) {
  static char place[1 << 16];
  const stack_t stack = {.ss_sp = place, .ss_size = sizeof place};
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaltstack(&stack, 0);
  sigaction(SIGUSR1, &action, 0);
  interrupted();
}

static void routine(void) {
  while (goes_on) {
    spin();
    FENCE();
  }
}
static void in_context(void) {
  static char place[1 << 16];
  static ucontext_t inner, outer;
  getcontext(&inner);
  inner.uc_stack.ss_sp = place;
  inner.uc_stack.ss_size = sizeof place;
  inner.uc_link = &outer;
  makecontext(&inner, routine, 0);
  swapcontext(&outer, &inner);
}

NAMED static void parent(void) {
  const pid_t child = vfork();
  if (child == 0) {
    spin();
    _exit(0);
  }
  waitpid(child, 0, 0);
}

NAMED static unsigned long descend(unsigned long depth) {
  if (depth == 0) {
    spin();
    return some;
  }
  const unsigned long below = descend(depth - 1);
  FENCE();
  return below + depth;
}

/* The mapping of this program's file that contains `address`. */
struct mapping {
  unsigned long start, end, offset;
};
static struct mapping mapping_of(unsigned long address) {
  char line[512];
  FILE* maps = fopen("/proc/self/maps", "re");
  while (maps && fgets(line, sizeof line, maps)) {
    struct mapping found;
    if (sscanf(line, "%lx-%lx %*s %lx", &found.start, &found.end, &found.offset) != 3) continue;
    if (address < found.start || address >= found.end) continue;
    fclose(maps);
    return found;
  }
  exit(3);
}

/* Makes the kernel replace the function's return address with its trampoline, only in this process. */
static void probe_return_of(void (*function)(void)) {
  unsigned type = 0;
  FILE* file = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
  if (!file || fscanf(file, "%u", &type) != 1) exit(3);
  fclose(file);
  struct perf_event_attr attr = {.size = sizeof attr, .type = type};
  attr.config = 1; /* probes the return, not the start */
  attr.uprobe_path = (uintptr_t) "/proc/self/exe";
  const struct mapping mapping = mapping_of((uintptr_t)function);
  attr.probe_offset = (uintptr_t)function - mapping.start + mapping.offset;
  if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0) exit(3);
}

static void probed(void) {
  static int is_probed;
  if (!is_probed) {
    probe_return_of(first);
    probe_return_of(second);
    probe_return_of(third);
  }
  is_probed = 1;
  first();
}

/* These use only their stack, so they run wherever their code is mapped. */
NAMED static unsigned long inner(unsigned long turns) {
  volatile unsigned long left = turns;
  while (left != 0) left = left - 1;
  return left;
}
NAMED static unsigned long middle(unsigned long turns) {
  volatile unsigned long place[90];
  place[7] = inner(turns);
  return place[7];
}
NAMED static unsigned long outer(unsigned long turns) {
  volatile unsigned long place[12];
  place[3] = middle(turns);
  return place[3];
}
/* Whole pages of the program that are never executed. */
extern const char idle_pages[];
__asm__(".text\n.balign 65536\n.globl idle_pages\nidle_pages:\n.skip 131072\n");

static struct {
  struct mapping code; /* of outer and the idle pages */
  char* copy;          /* the copy, mapped from one of two equal files */
  int files[2];
} swap;
static void* map_copy(void* where, int fixed, int file) {
  void* copy = mmap(where, swap.code.end - swap.code.start, PROT_READ | PROT_EXEC, MAP_PRIVATE | fixed,
                    swap.files[file], (off_t)swap.code.offset);
  if (copy == MAP_FAILED) exit(3);
  return copy;
}
static void* replaces(void* unused) {
  for (int turn = 0; goes_on; turn++) {
    map_copy(swap.copy, MAP_FIXED, turn & 1);
    munmap(map_copy(0, 0, turn & 1), swap.code.end - swap.code.start);
    usleep(200);
  }
  return unused;
}
static void* splits(void* unused) {
  char* idle = swap.copy + ((uintptr_t)idle_pages - swap.code.start);
  while (goes_on) {
    mprotect(idle, 65536, PROT_READ);
    mprotect(idle, 65536, PROT_READ | PROT_EXEC);
    usleep(50);
  }
  return unused;
}
NAMED static void swapped(void) {
  if (!swap.copy) {
    swap.code = mapping_of((uintptr_t)outer);
    for (int file = 0; file < 2; file++) {
      swap.files[file] = memfd_create("copy", MFD_CLOEXEC);
      const int own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
      while (sendfile(swap.files[file], own, 0, 1 << 20) > 0) FENCE();
      close(own);
    }
    swap.copy = map_copy(0, 0, 0);
    pthread_t thread;
    pthread_create(&thread, 0, replaces, 0);
    pthread_create(&thread, 0, splits, 0);
  }
  unsigned long (*there)(unsigned long) = (void*)(swap.copy + ((uintptr_t)outer - swap.code.start));
  there(2000);
  FENCE();
}

NAMED static void nap_here(void) {
  const struct timespec length = {0, 1000 * 1000};
  nanosleep(&length, 0);
  FENCE();
}

NAMED static void nap_for_good(void) {
  const struct timespec length = {3600, 0};
  nanosleep(&length, 0);
  FENCE();
}

NAMED static void wait_here(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 1000 * 1000;
  if (until.tv_nsec >= 1000 * 1000 * 1000) {
    until.tv_nsec -= 1000 * 1000 * 1000;
    until.tv_sec++;
  }
  pthread_mutex_lock(&mutex);
  pthread_cond_timedwait(&never, &mutex, &until);
  pthread_mutex_unlock(&mutex);
}

NAMED static void* keep_here(void) {
  void* piece = malloc(5000);
  FENCE();
  return piece;
}
NAMED static void ask_here(void) {
  static void *kept, *piece;
  if (!kept) kept = keep_here();
  free(piece);
  piece = malloc(1000);
  usleep(100);
}

NAMED static void write_here(void) {
  __attribute__((aligned(4096))) static char block[4096];
  static int device = -1;
  if (device < 0) device = open(getenv("PROFILE_TEST_FILE"), O_WRONLY | O_DIRECT | O_CLOEXEC);
  if (pwrite(device, block, sizeof block, 0) != sizeof block) exit(3);
  usleep(1000);
}

NAMED static void lazy(void) {
  for (unsigned long turn = 0; turn < 20 * UNIT / 100; turn++) {
    rand();
    FENCE();
  }
}

#ifdef __x86_64__
void written(void (*work)(void));
__asm__(
    ".text\n.type written, @function\nwritten:\n.cfi_startproc\n"
    "push %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset rbx, -16\n"
    "mov %rsp, %rbx\n.cfi_def_cfa_register rbx\n"
    "sub $1040, %rsp\nand $-64, %rsp\n"
    "call *%rdi\n"
    "mov %rbx, %rsp\n.cfi_def_cfa_register rsp\npop %rbx\n.cfi_def_cfa_offset 8\nret\n"
    ".cfi_endproc\n.size written, .-written\n");

void lowest(char* first_word);
__asm__(
    ".type bottom, @function\nbottom:\n.cfi_startproc\n"
    "mov $10000000, %ecx\n1: dec %ecx\njnz 1b\nret\n"
    ".cfi_endproc\n.size bottom, .-bottom\n"
    ".type lowest, @function\nlowest:\n.cfi_startproc\n"
    "push %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset rbx, -16\n"
    "mov %rsp, %rbx\n.cfi_def_cfa_register rbx\n"
    "lea 8(%rdi), %rsp\n"
    "call bottom\n"
    "mov %rbx, %rsp\n.cfi_def_cfa_register rsp\npop %rbx\n.cfi_def_cfa_offset 8\nret\n"
    ".cfi_endproc\n.size lowest, .-lowest\n");
static void at_the_lowest_word(void) {
  static char* pages;
  if (!pages) {
    pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages, 4096, PROT_NONE) != 0) exit(3);
  }
  lowest(pages + 4096);
}
#endif

int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  if (argc != 3) return 2;
  const char* shape = argv[1];
#define IS(name) (strncmp(shape, name, sizeof(name)) == 0)
  while (goes_on) {
    if (IS("plain")) first();
    if (IS("variable")) variable();
    if (IS("aligned")) aligned();
    if (IS("roomy")) roomy();
    if (IS("many")) many();
    if (IS("tail")) tail();
    if (IS("last")) last();
    if (IS("signal")) on_own_stack();
    if (IS("context")) in_context();
    if (IS("child")) parent();
    if (IS("steep")) descend(39);
    if (IS("probed")) probed();
    if (IS("naps")) nap_here();
    if (IS("waits")) wait_here();
    if (IS("asks")) ask_here();
    if (IS("writes")) write_here();
    if (IS("parked")) nap_for_good();
    if (IS("lazy")) lazy();
    if (IS("swapped")) swapped();
#ifdef __x86_64__
    if (IS("written")) written(spin);
    if (IS("lowest")) at_the_lowest_word();
#endif
  }
}
