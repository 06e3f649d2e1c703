#!/bin/bash
# A sample inside execve has the old program's stack while that exists, and after that the single frame [exec]. An
# address of a program that no longer exists is never [unknown].
source "$(dirname "$0")/compiling.bash"

# Executes itself this many times. A function with its own frame makes the system call.
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
# Asks for many samples, however long the machine takes. The profiler remembers the last thousand programs of a process.
sample_folded -F 3999 -- "$tmp/again" 700
expect_present '^again;\[exec\];.*;bprm_execve;.*load_elf_binary;'
expect_present '^again;.*main;run_again;.*;bprm_execve;'
expect_absent '^again;\[unknown\].*;bprm_execve;'

# The old stack is complete until the new memory is in place. After that the walk itself finds no user stack.
sample_folded -U --unwind auto -F 3999 -- "$tmp/again" 700
expect_present '^again;\[exec\] '
expect_present '^again;.*main;run_again '
expect_between "$(folded_total '^again;(run_again|\[unknown\]) ')" 0 $((recorded / 20)) "samples inside execve() without a caller"

# By frame pointers, without the kernel's stack, the address of the leaf shows it. What the profiler ran in the process
# before the command stays unknown.
sample_folded -U --unwind fp -F 3999 -- "$tmp/again" 700
expect_between "$(folded_total '^again;\[unknown\] ')" 0 $((recorded / 10)) "samples inside execve() that are unknown"
