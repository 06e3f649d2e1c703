#!/bin/bash
# Rust names appear in source form, in every mangling scheme that this rustc has.
source "$(dirname "$0")/sampling.bash"
need_command rustc

schemes=0
for option in -g -Csymbol-mangling-version=legacy -Csymbol-mangling-version=v0; do
  rustc -O -C force-frame-pointers=yes $option -o "$tmp/rust_$schemes" \
    "$SOURCE_DIR/tests/workloads/rust_leaves.rs" >>"$tmp/rustc.log" 2>&1 || continue
  start "$tmp/rust_$schemes" 600
  wait_until is_at_work "$started"
  schemes=$((schemes + 1))
  sample_enough 400 -F 1999 -U -p "$started" 1
  # The names are the point of this test; one function has twice the work of the other.
  kill "$started"
  chain=';rust_leaves::main;<?rust_leaves::yard::Stack>?::pile'
  expect_share "$chain;rust_leaves::yard::heavy " 50 83
  expect_share "$chain;rust_leaves::yard::light " 17 50
  expect_absent '_ZN|_R[A-Z]|17h[0-9a-f]{16}'
done
((schemes > 0)) || skip "rustc compiles nothing here: $(head -n 3 "$tmp/rustc.log")"
