/* turns TIMES [LEFT] : allocates memory TIMES times from a single place. The place calls through pointers to
 * different functions; only the arguments show when the function changes:
 *   by_turns   calloc(100, 1), malloc(100), malloc(100), realloc(0, 200), malloc(200), memalign(16, 300),
 *              malloc(300), memalign(64, 400), malloc(400), aligned_alloc(16, 500), aligned_alloc(64, 600),
 *              calloc(1, 700), realloc(0, 700) and malloc(700)
 *   by_place   posix_memalign of 800 bytes aligned to 16, and malloc(800)
 * These are 14 calls for 5300 bytes and 2 for 1600 bytes. It frees all of them except in the last LEFT (0) times. */
#include <malloc.h>

#include "workload.h"

typedef void* ask(const void* first, unsigned long second, unsigned long third);
#define ASK(function) ((ask*)(void*)(function))

/* Not constant, so that the compiler does not see which function is called. */
struct turn {
  ask* from;
  const void* first;
  unsigned long second;
} turns[] = {{ASK(calloc), (void*)100, 1},
             {ASK(malloc), (void*)100, 1},
             {ASK(malloc), (void*)100, 1},
             {ASK(realloc), 0, 200},
             {ASK(malloc), (void*)200, 200},
             {ASK(memalign), (void*)16, 300},
             {ASK(malloc), (void*)300, 300},
             {ASK(memalign), (void*)64, 400},
             {ASK(malloc), (void*)400, 400},
             {ASK(aligned_alloc), (void*)16, 500},
             {ASK(aligned_alloc), (void*)64, 600},
             {ASK(calloc), (void*)1, 700},
             {ASK(realloc), 0, 700},
             {ASK(malloc), (void*)700, 700}};

__attribute__((noinline)) void by_turns(int give_back) {
  for (unsigned i = 0; i < sizeof turns / sizeof *turns; i++) {
    void* memory = turns[i].from(turns[i].first, turns[i].second, 0);
    if (give_back) free(memory);
  }
}

void* place;
struct turn placing[] = {{ASK(posix_memalign), &place, 16}, {ASK(malloc), (void*)800, 16}};

__attribute__((noinline)) void by_place(int give_back) {
  for (unsigned i = 0; i < sizeof placing / sizeof *placing; i++) {
    void* memory = placing[i].from(placing[i].first, placing[i].second, 800);
    if (i == 0) memory = place;
    if (give_back) free(memory);
  }
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 1;
  const int left = argc > 2 ? atoi(argv[2]) : 0;
  for (int i = 0; i < times; i++) {
    by_turns(i < times - left);
    by_place(i < times - left);
  }
  return 0;
}
