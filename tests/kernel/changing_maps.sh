#!/bin/bash
# Libraries that replace each other, children without an exec, and a pid that is used again: an address has the name
# that it had at the time.
source "$(dirname "$0")/sampling.bash"

# expect_both : two libraries lie at one place, one after the other, and each has its names while it is there.
expect_both() {
  expect_present '^first;.*main;run_from[^;]*;use_library;library_turn;in_first '
  expect_present '^second;.*main;run_from[^;]*;use_library;library_turn;in_second '
  expect_share '^(first|second);.*main;run_from[^;]*;use_library;library_turn;in_(first|second)[ ;]' 80 100
  expect_absent '^first;.*in_second'
  expect_absent '^second;.*in_first'
  expect_absent '\[lib(first|second).so'
}
sample_folded -F 999 -- "$WORKLOADS/swapper" 1
expect_both
# The first library is already loaded when the profile begins.
start "$WORKLOADS/swapper" 2
is_first() { grep -qx first "/proc/$started/comm"; }
wait_until is_first
kill -STOP "$started"
begin_counted -F 999 -U -p "$started" -o - -o "$tmp/out.folded"
kill -CONT "$started"
finish
expect_status 0
expect_balance
mv "$tmp/out.folded" "$tmp/out"
expect_folded_total
expect_both

# A child that does not call exec has its parent's files, whether it began before or after the profiler.
sample_folded -F 499 -- "$WORKLOADS/family" 0.2cpu
expect_present '^family;.*main;burn_child '
expect_present '^family;.*main;burn_grandchild '
# All of these processes exist before the profiler and go on until the test ends them.
cp "$WORKLOADS/family" "$tmp/old_family"
start setsid "$tmp/old_family" 600
at_exit "kill -KILL -- -$started 2>/dev/null"
has_grandchild() { pgrep -P "$(pgrep -d , -P "$started")" >/dev/null; }
wait_until has_grandchild
sample_until 'is_seen ^old_family;.*main;burn_child[[:space:]] ^old_family;.*main;burn_grandchild[[:space:]]' -f -F 499 -U 0.5
{ kill -KILL -- "-$started" && wait "$started"; } 2>/dev/null

# Two programs have the same pid, one after the other, in one profile. No other process has these names.
need_command python3
cp "$WORKLOADS/leaves" "$tmp/early_leaves"
cp "$WORKLOADS/depth" "$tmp/late_depth"
cat >"$tmp/as_pid.py" <<'PYTHON'
import ctypes, os, signal, sys

# as_pid.py PID PROGRAM [ARGUMENT...] : runs the program under that pid.
pid = (ctypes.c_int * 1)(int(sys.argv[1]))
clone3 = 435
arguments = (ctypes.c_uint64 * 11)(0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, ctypes.addressof(pid), 1, 0)
libc = ctypes.CDLL(None, use_errno=True)
child = libc.syscall(clone3, arguments, ctypes.sizeof(arguments))
if child == 0:
    os.execv(sys.argv[2], sys.argv[2:])
if child < 0:
    sys.exit(os.strerror(ctypes.get_errno()))
os.waitpid(child, 0)
PYTHON
begin_counted -F 999 -o - -o "$tmp/out.folded"
"$tmp/early_leaves" 0.4cpu &
reused=$!
wait "$reused"
# This part comes last, so that the other parts are tested even where it cannot run.
python3 "$tmp/as_pid.py" "$reused" "$tmp/late_depth" 6 0.4cpu 2>"$tmp/again" ||
  skip "only the last part: no pid can be used again here: $(cat "$tmp/again")"
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_present '^early_leaves;.*main;outer;middle;heavy ' "$tmp/out.folded"
# Before main a program runs code that has no names.
expect_equal "$(grep -aE '^early_leaves;(.*;)?main;(.*;)?\[early_leaves\+0x' "$tmp/out.folded" | head -n 3)" '' "stacks of leaves without names"
expect_absent '^late_depth;.*(outer|middle|heavy|light)' "$tmp/out.folded"
expect_absent '^late_depth;.*\[(late_depth|early_leaves)\+0x' "$tmp/out.folded"
expect_present '^late_depth;.*main;dive;dive;dive;dive;bottom' "$tmp/out.folded"
expect_out "^    -                early_leaves \($reused\)$"
expect_out "^    -                late_depth \($reused\)$"
