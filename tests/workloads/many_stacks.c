/* Tests rely on this: 16 calls deep, each level has one of two callers, so there are 65,536 stacks,
 * main;left;right;...; leaf. Each runs for a few microseconds in turn, so nearly every sample has a stack of its
 * own. */
#include "workload.h"

void left(unsigned path, int levels);
void right(unsigned path, int levels);

void leaf(void) { WORK(10000); }
void descend(unsigned path, int levels) {
  if (levels == 0)
    leaf();
  else if (path & 1)
    left(path >> 1, levels - 1);
  else
    right(path >> 1, levels - 1);
}
void left(unsigned path, int levels) { descend(path, levels); }
void right(unsigned path, int levels) { descend(path, levels); }

int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  for (unsigned path = 0; goes_on; path += 40503) descend(path & 0xffff, 16); /* odd: all paths, neighbours far apart */
}
