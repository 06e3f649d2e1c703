#!/bin/bash
# A sample taken inside execve has the old program's stack as long as there is one, and then the one frame [exec]: no address of
# a program that is gone is shown as unknown.
source "$(dirname "$0")/compiling.bash"

# Becomes itself so many times; the system call is made in a function with a frame of its own.
cat >"$tmp/again.c" <<'C'
#include <string.h>
#include "workload.h"
extern char** environ;
void run_again(char** argv) { call(SYS_execve, (long)argv[0], (long)argv, (long)environ, 0); }
int main(int argc, char** argv) {
  const int left = argc > 1 ? atoi(argv[1]) : 0;
  if (left == 0) return 0;
  snprintf(argv[1], strlen(argv[1]) + 1, "%d", left - 1);
  run_again(argv);
  return 1;
}
C
build "$tmp/again" "$tmp/again.c"
# Many samples, however long the machine takes for them; of a process the last thousand programs are remembered.
sample_folded -F 3999 -- "$tmp/again" 700
expect_present '^again;\[exec\];.*;bprm_execve;.*load_elf_binary;'
expect_present '^again;.*main;run_again;.*;bprm_execve;'
expect_absent '^again;\[unknown\].*;bprm_execve;'

# The old stack is whole until the new memory is there, and inside it the walk itself knows that there is none.
sample_folded -U --unwind auto -F 3999 -- "$tmp/again" 700
expect_present '^again;\[exec\] '
expect_present '^again;.*main;run_again '
expect_between "$(folded_total '^again;(run_again|\[unknown\]) ')" 0 $((recorded / 20)) "samples inside execve() without a caller"

# By frame pointers, without the kernel's stack, it is known by where the leaf lies. What ran before the command, in its process, is
# ours and is not known.
sample_folded -U --unwind fp -F 3999 -- "$tmp/again" 700
expect_between "$(folded_total '^again;\[unknown\] ')" 0 $((recorded / 10)) "samples inside execve() that are unknown"
