#!/bin/bash
# Stacks of static programs, with glibc and with musl, are complete: they begin with a root, nothing lies beyond it, and
# no message says that frame pointers are missing.
source "$(dirname "$0")/compiling.bash"

# Frames that call the root. Only unwind tables lead to them; frame pointers end at the root.
start='(_start;|__libc_start_main;|_start_c;)*'

# expect_whole ROOT CHAIN : the work's stacks begin with the root, and frames beyond it are removed.
expect_whole() {
  expect_share "^[^;]*;$start$1;$2(;| )" 90 100
  expect_no_err 'without frame pointers'
  expect_no_err 'in no mapping'
}
sample_work() { wait_until is_at_work "$started" && sample_folded -F 3999 -U -p "$started" 0.5; }

burn leaves.static 600
sample_work
expect_whole __libc_start_call_main 'main;outer;middle;(heavy|light)'
sample --stream=folded -F 999 -U -p "$started" 0.4
expect_out " ${start}__libc_start_call_main;main;outer;middle;(heavy|light)\$"
expect_no_out 'unknown'
kill "$started"
burn threads.static 600
sample_work
expect_whole '((__)?clone3?;)?start_thread' '(red|green)_thread;burn_(red|green)'
kill "$started"

need_command musl-gcc
# build_musl TARGET WORKLOAD
build_musl() {
  musl-gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-inline -static -o "$tmp/$1" \
    "$SOURCE_DIR/tests/workloads/$1.c" || fail "musl-gcc cannot build $1"
  start "$tmp/$1" 600
}
build_musl leaves
sample_work
expect_whole libc_start_main_stage2 'main;outer;middle;(heavy|light)'
kill "$started"
build_musl threads
sample_work
expect_whole '(__clone;)?start' '(red|green)_thread;burn_(red|green)'
