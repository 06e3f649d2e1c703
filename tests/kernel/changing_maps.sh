#!/bin/bash
# Libraries that take each other's place, children without an exec and a pid used again: an address has the name it had then.
source "$(dirname "$0")/sampling.bash"

# expect_halves : two libraries one after the other at one place, each named while it was there.
expect_halves() {
  expect_share '^first;.*main;run_from[^;]*;use_library;library_turn;in_first ' "$1" 80
  expect_share '^second;.*main;run_from[^;]*;use_library;library_turn;in_second ' "$1" 80
  expect_absent '^first;.*in_second'
  expect_absent '^second;.*in_first'
  expect_absent '\[lib(first|second).so'
}
sample_folded -F 999 -- "$WORKLOADS/swapper" 1
expect_halves 20
# A process that has the first one loaded when the profile begins; again two seconds for two halves.
burn swapper 3
is_first() { grep -qx first "/proc/$started/comm"; }
wait_until is_first
sample_folded -F 999 -U -p "$started" 2.5
expect_halves 20

# A child that does not execute anything has its parent's files, whenever it was made.
sample_folded -F 499 -- "$WORKLOADS/family" 1
expect_share '^family;.*main;burn_child ' 10 50
expect_share '^family;.*main;burn_grandchild ' 10 50
burn family 5
sleep 0.3
sample_folded -F 499 -U 0.5
expect_present '^family;.*main;burn_child '
expect_present '^family;.*main;burn_grandchild '

# One pid, two programs one after the other in one profile.
need_command python3
cat >"$tmp/as_pid.py" <<'PYTHON'
import ctypes, os, signal, sys

# as_pid.py PID PROGRAM [ARGUMENT...] : runs it under that number.
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
"$WORKLOADS/leaves" 0.4 &
reused=$!
wait "$reused"
# It comes last, so that all else is tested where this cannot be.
python3 "$tmp/as_pid.py" "$reused" "$WORKLOADS/depth" 6 0.4 2>"$tmp/again" ||
  skip "only the last part: no pid can be used again here: $(cat "$tmp/again")"
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_present '^leaves;.*main;outer;middle;heavy ' "$tmp/out.folded"
expect_absent '^leaves;.*\[leaves\+0x' "$tmp/out.folded"
expect_absent '^depth;.*(outer|middle|heavy|light)' "$tmp/out.folded"
expect_absent '^depth;.*\[(depth|leaves)\+0x' "$tmp/out.folded"
expect_present '^depth;.*main;dive;dive;dive;dive;bottom' "$tmp/out.folded"
expect_out "^    -                leaves \($reused\)$"
expect_out "^    -                depth \($reused\)$"
