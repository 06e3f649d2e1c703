/* Tests rely on this: every user stack is main;run_made;made_caller;made_loop. The last two lie in memory that the
 * program makes executable itself, and /tmp/perf-PID.map names them. made_caller does not call made_loop: it jumps
 * there with a return address, as HotSpot's interpreter does. The first argument selects the code at that address:
 * `pointer` is that of JDK 8 to 21, `words` that of later ones, `forgets` that of a frame that was compiled code
 * before, and `unusual` is no code to which a runtime is known to return. */
#include <string.h>
#include <sys/mman.h>

#include "workload.h"

typedef void Caller(unsigned long turns);

/* KIND_start to KIND_end, with KIND_loop between: code without an address, so that it runs anywhere in memory. AWAY
 * jumps to the label 2, so that it returns to the label 1, where BACK takes the frame away. */
#define MADE(kind, enter, away, back, loop)                                                                          \
  extern const char kind##_start[], kind##_loop[], kind##_end[];                                                     \
  __asm__(".pushsection .text\n.globl " #kind "_start, " #kind "_loop, " #kind "_end\n" #kind "_start:\n" enter away \
          "1:\n" back #kind "_loop:\n2:\n" loop #kind "_end:\n.popsection\n")

#if defined(__x86_64__)
#define ENTER "push %rbp\nmov %rsp, %rbp\nsub $32, %rsp\n"
#define AWAY "lea 1f(%rip), %rax\npush %rax\njmp 2f\n"
#define LEAVE "leave\nret\n"
#define LOOP "push %rbp\nmov %rsp, %rbp\n3:\nimul $3, %rax, %rax\ndec %rdi\njne 3b\npop %rbp\nret\n"
MADE(pointer, ENTER "mov %rsp, -16(%rbp)\n", AWAY, "mov -16(%rbp), %rsp\nmovq $0, -16(%rbp)\n" LEAVE, LOOP);
MADE(words, ENTER "movq $-4, -16(%rbp)\n", AWAY, "mov -16(%rbp), %rcx\nlea (%rbp,%rcx,8), %rsp\n" LEAVE, LOOP);
MADE(forgets, ENTER, AWAY, "movq $0, -16(%rbp)\n" LEAVE, LOOP);
MADE(unusual, ENTER, AWAY, "nop\nnop\n" LEAVE, LOOP);
#elif defined(__aarch64__)
#define ENTER "sub sp, sp, #48\nstr x20, [sp]\nstp x29, x30, [sp, #32]\nadd x29, sp, #32\n"
#define AWAY "adr x30, 1f\nb 2f\n"
#define LEAVE "ldr x20, [sp]\nldp x29, x30, [sp, #32]\nadd sp, sp, #48\nret\n"
#define LOOP "stp x29, x30, [sp, #-16]!\nmov x29, sp\n3:\nsubs x0, x0, #1\nb.ne 3b\nldp x29, x30, [sp], #16\nret\n"
MADE(pointer, ENTER, AWAY, "ldur x20, [x29, #-16]\nstur xzr, [x29, #-16]\n" LEAVE, LOOP);
MADE(words, ENTER, AWAY, "ldur x8, [x29, #-16]\nadd x20, x29, x8, lsl #3\n" LEAVE, LOOP);
MADE(forgets, ENTER, AWAY, "ldur x20, [x29, #-16]\nstur xzr, [x29, #-16]\n" LEAVE, LOOP); /* not followed on arm64 */
MADE(unusual, ENTER, AWAY, "nop\nnop\n" LEAVE, LOOP);
#else
#error "no code for this architecture"
#endif

static const struct kind {
  const char *name, *start, *loop, *end;
} kinds[] = {{"pointer", pointer_start, pointer_loop, pointer_end},
             {"words", words_start, words_loop, words_end},
             {"forgets", forgets_start, forgets_loop, forgets_end},
             {"unusual", unusual_start, unusual_loop, unusual_end}};

void run_made(Caller* made) {
  made(UNIT);
  KEEP_FRAME();
}

int main(int argc, char** argv) {
  const double seconds = seconds_of(argc, argv);
  const struct kind* kind = kinds;
  const struct kind* const last = &kinds[sizeof kinds / sizeof *kinds - 1];
  if (argc != 3) return 2;
  while (kind != last && strcmp(kind->name, argv[1]) != 0) kind++;
  const size_t size = (size_t)(kind->end - kind->start), caller = (size_t)(kind->loop - kind->start);
  char* const code = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) return 1;
  memcpy(code, kind->start, size);
  char path[64];
  snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
  FILE* map = fopen(path, "w");
  if (!map) return 1;
  fprintf(map, "%lx %zx made_caller\n%lx %zx made_loop\n", (unsigned long)code, caller, (unsigned long)code + caller,
          size - caller);
  fclose(map);
  if (mprotect(code, size, PROT_READ | PROT_EXEC) != 0) return 1;
  __builtin___clear_cache(code, code + size);
  end_after(seconds);
  Caller* made;
  memcpy(&made, &code, sizeof made);
  while (goes_on) run_made(made);
}
