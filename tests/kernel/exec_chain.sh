#!/bin/bash
# Two programs with one name, and with other functions at the same addresses, take turns in one process by exec. Each
# function has the time that it ran, in each way of walking stacks.
source "$(dirname "$0")/sampling.bash"
need_command cc
need_command readelf

# program NAME NEXT : burns 20 ms of CPU time, and becomes the other one.
program() {
  mkdir -p "$tmp/$1"
  cat >"$tmp/$1/chain.c" <<C
#include <time.h>
#include <unistd.h>
static volatile unsigned sink;
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
__attribute__((noinline)) void burn_$1(double end) {
  while (now() < end) {
    for (int i = 0; i < 10000; ++i) ++sink;
  }
}
int main(int count, char **arguments) {
  burn_$1(now() + 0.02);
  execv("$tmp/$2/chain", arguments);
  return count;
}
C
  cc -O1 -no-pie -fno-omit-frame-pointer -o "$tmp/$1/chain" "$tmp/$1/chain.c" || skip "cannot compile"
}
program one two
program two one
address_of() { readelf -sW "$tmp/$1/chain" | awk -v name="burn_$1" '$8 == name { print $2 }'; }
expect_equal "$(address_of one)" "$(address_of two)" "addresses of the functions"

start "$tmp/one/chain"
sum_of() { awk -v pattern="$1" '$0 ~ pattern { sum += $NF } END { print sum + 0 }' "$tmp/out"; }
for way in auto fp; do
  sample_enough 400 -F 997 -U --unwind "$way" -p "$started" 2
  one=$(sum_of '^chain;.*;burn_one') two=$(sum_of '^chain;.*;burn_two')
  echo "$way: $one and $two"
  expect_between $((100 * one / (one + two))) 40 60 "per cent in burn_one, --unwind $way"
  expect_equal "$(sum_of 'burn_one.*burn_two|burn_two.*burn_one')" 0 "stacks of both programs"
done
