#!/bin/bash
# A thread that waits before the run begins and goes on when it has ended is counted for all of it, with its stack; and
# with -i every report has its part of such a wait.
source "$(dirname "$0")/sampling.bash"

cat >"$tmp/hang.c" <<'C'
#include <poll.h>
__attribute__((noinline)) void hang(void) {
  __asm__ volatile("" ::"r"(__builtin_frame_address(0)));
#ifdef __x86_64__
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(7L), "D"(0L), "S"(0L), "d"(30000L) : "rcx", "r11", "memory");
#else
  poll(0, 0, 30000);
#endif
}
int main(void) { hang(); return 0; }
C
need_command cc
cc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o "$tmp/hang" "$tmp/hang.c" || fail "cannot compile"
start "$tmp/hang"
hanging=$started
in_poll() { [[ $(cat "/proc/$hanging/wchan") == *poll* || $(cut -d' ' -f1 "/proc/$hanging/syscall") == 7 ]]; }
wait_until in_poll

sample -e off-cpu -p "$hanging" -o "$tmp/a.folded" -o "$tmp/a.json" 2
expect_between "$(folded_total '^hang;(.*;)?main;hang;' "$tmp/a.folded")" 1960000 2040000 "microseconds of the wait"
expect_err '^1 thread was still blocked at the end; its 2\.0'
if [[ -x /usr/bin/python3 ]]; then
  /usr/bin/python3 - "$tmp/a.json" "$hanging" <<'PY' || fail "the JSON document tells something else: $(cat "$tmp/a.json")"
import json, sys
document = json.load(open(sys.argv[1]))
threads = document["ebpf"]["offcpu"]["thread_stats"]
assert list(threads) == [f"{sys.argv[2]}:{sys.argv[2]}"], threads
assert 1.96e9 < threads[f"{sys.argv[2]}:{sys.argv[2]}"]["total_time_ns"] < 2.04e9, threads
PY
fi

sample -e off-cpu -p "$hanging" -i 0.5 -f 2
expect_between "$(grep -c '^hang;' "$tmp/out")" 3 5 "reports of the wait"
expect_between "$(grep '^hang;' "$tmp/out" | head -n 1 | awk '{ print $NF }')" 450000 550000 "microseconds of the first report"
expect_between "$(folded_total "^hang;")" 1960000 2150000 "microseconds of all reports"

sample -e off-cpu -p "$hanging" --min-block-us 5000000 -f 1
expect_absent '^hang;'
