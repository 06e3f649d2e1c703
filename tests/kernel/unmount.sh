#!/bin/bash
# During the run a file system can be unmounted: that of a program that has ended, also in a container, and that of a
# library that a living program has unloaded. The samples keep their names. Files of processes that are not sampled are
# never opened.
# Promise 7: no file stays open that no process has mapped.
source "$(dirname "$0")/children.bash"

need_command unshare nsenter python3
is_unmounted() { umount "$1" 2>/dev/null; }
is_unmounted_inside() { nsenter -t "$1" -m umount "$2" 2>/dev/null; }
mkdir "$tmp/disk" "$tmp/inner"
# The profiler opens the file of a program when it reads that the program has begun. With sanitizers, naming its own code
# first takes a second.
lasts=0.3cpu
if ((SANITIZED == 1)); then lasts=3cpu; fi
# The run has begun: there is a header, or a first sample of a stream.
has_written() { [[ -s $tmp/out ]]; }
# sampled_there [ARGUMENT...] : during a run, a program on another file system starts and ends.
sampled_there() {
  mount -t tmpfs none "$tmp/disk" || skip "no tmpfs can be mounted here"
  cp "$WORKLOADS/leaves" "$tmp/disk/guest"
  begin "$@"
  wait_until has_written
  "$tmp/disk/guest" "$lasts"
  wait_until is_unmounted "$tmp/disk"
  leave
}
leave() {
  pause "${linger:-0}"
  kill -INT "$profiler"
  finish
  expect_status 0
}
named=';.*;main;outer;middle;(heavy|light)'

# The same, with two more: a program in another mount namespace, where another process stays; and a program that goes on
# after it has unloaded a library from that file system.
all_sampled_there() {
  mount -t tmpfs none "$tmp/disk" || skip "no tmpfs can be mounted here"
  cp "$WORKLOADS/leaves" "$tmp/disk/guest"
  cp "$WORKLOADS/libfirst.so" "$tmp/disk"
  rm -f "$tmp/inmate_ended" "$tmp/unloaded"
  begin "$@" -o - -o "$tmp/all.folded"
  wait_until has_begun
  start unshare -m --propagation private bash -c \
    'mount -t tmpfs none "$1" && cp "$2" "$1/inmate" && "$1/inmate" "$4" && touch "$3" && exec sleep 600' \
    - "$tmp/inner" "$WORKLOADS/leaves" "$tmp/inmate_ended" "$lasts"
  local container=$started
  start python3 -c '
import ctypes, _ctypes, sys, time
library = ctypes.CDLL(sys.argv[1])
while time.process_time() < 0.5:
    for _ in range(100):
        library.library_turn()
_ctypes.dlclose(library._handle)
open(sys.argv[2], "w").close()
time.sleep(600)' "$tmp/disk/libfirst.so" "$tmp/unloaded"
  local program=$started
  "$tmp/disk/guest" "$lasts"
  wait_until test -e "$tmp/inmate_ended"
  wait_until is_unmounted_inside "$container" "$tmp/inner"
  wait_until test -e "$tmp/unloaded"
  wait_until is_unmounted "$tmp/disk"
  if is_gone "$program" || is_gone "$container"; then fail "a program has ended: $(cat "$tmp/started")"; fi
  leave
  kill "$program" "$container"
}
expect_all_named() {
  expect_balance
  expect_present "^guest$named" "$1"
  expect_present "^inmate$named" "$1"
  expect_present ';library_turn;in_first ' "$1"
}

all_sampled_there -F 499
expect_all_named "$tmp/all.folded"
expect_folded_total "$tmp/all.folded"
expect_absent '^guest;.*\[guest\+0x[^]]*\];[^ ]*(heavy|light)' "$tmp/all.folded"

all_sampled_there -F 499 -i 1
expect_all_named "$tmp/all.folded"
expect_folded_total "$tmp/all.folded"

all_sampled_there -T -R 0 -F 499
expect_all_named "$tmp/all.folded"

sampled_there --stream=folded -F 499
expect_balance
expect_out ' guest [0-9]+ [0-9]+ [0-9]+ .*;main;outer;middle;(heavy|light)'

# A wait that lasts longer than the file system is still one wait.
cp "$(command -v sleep)" "$tmp/patient"
start "$tmp/patient" 600
linger=1.3 sampled_there -e off-cpu --min-block-us 2000000 -o - -o "$tmp/all.folded"
expect_balance_with_losses
expect_present '^patient;' "$tmp/all.folded"

# files_of [ARGUMENT...] : prints how many files a run knows.
files_of() {
  sample -v "$@"
  sed -n 's/^timeline: .* \([0-9]*\) files, .*/\1/p' "$tmp/err"
}
expect_between "$(files_of -- sleep 0.2)" 1 6 "files for sleep"
expect_between "$(files_of -- bash -c 'for i in 1 2 3; do sleep 0.1; done; true')" 2 16 "files for bash and sleep"
burn leaves 600
expect_between "$(files_of -p "$started" 0.3)" 1 6 "files for one process"
sample_folded -F 499 -- bash -c '"$0" 0.2cpu; true' "$WORKLOADS/leaves"
expect_present '^leaves;.*;main;outer;middle;heavy'
