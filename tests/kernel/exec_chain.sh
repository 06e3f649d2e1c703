#!/bin/bash
# Two programs with one name, and with other functions at the same addresses, take turns in one process by exec. Each
# function has the time that it ran, and the time that it waited, in each way of walking stacks.
source "$(dirname "$0")/sampling.bash"
need_command cc
need_command readelf

# program NAME NEXT : burns 20 ms of CPU time, waits for 10 ms, and becomes the other one.
program() {
  mkdir -p "$tmp/$1"
  cat >"$tmp/$1/chain.c" <<C
#include "workload.h"
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
__attribute__((noinline)) void wait_$1(void) {
  const struct timespec time = {0, 10000000};
  call(SYS_nanosleep, (long)&time, 0, 0, 0);
  KEEP_FRAME();
}
int main(int count, char **arguments) {
  burn_$1(now() + 0.02);
  wait_$1();
  execv("$tmp/$2/chain", arguments);
  return count;
}
C
  cc -O1 -no-pie -fno-omit-frame-pointer -I"$SOURCE_DIR/tests/workloads" -o "$tmp/$1/chain" "$tmp/$1/chain.c" || skip "cannot compile"
}
program one two
program two one
address_of() { readelf -sW "$tmp/$1/chain" | awk -v name="$2_$1" '$8 == name { print $2 }'; }
for function in burn wait; do
  expect_equal "$(address_of one $function)" "$(address_of two $function)" "addresses of the functions"
done

start "$tmp/one/chain"
sum_of() { awk -v pattern="$1" '$0 ~ pattern { sum += $NF } END { print sum + 0 }' "$tmp/out"; }
# expect_halves FUNCTION LEAST MOST : the first program has so many per cent of what both have.
expect_halves() {
  local one two
  one=$(sum_of "^chain;.*;$1_one") two=$(sum_of "^chain;.*;$1_two")
  echo "$way: $one and $two in $1"
  ((one + two > 0)) || fail "no stack of either program; $(outcome)"
  expect_between $((100 * one / (one + two))) "$2" "$3" "per cent in $1_one, --unwind $way"
  expect_equal "$(sum_of '_one;.*_two|_two;.*_one')" 0 "stacks of both programs"
}
for way in auto fp; do
  sample_enough 400 -F 997 -U --unwind "$way" -p "$started" 2
  expect_halves burn 40 60
  if has_event off-cpu; then
    sample -e off-cpu -f -U --unwind "$way" -p "$started" 1.5
    # Other programs may make one wait longer than the other.
    expect_halves wait 25 75
  fi
done
