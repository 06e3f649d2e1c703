#!/bin/bash
# A thread that waits from before the run until after it is counted for the whole run, with its stack. With -i every
# report has its part of the wait.
source "$(dirname "$0")/sampling.bash"
need_event off-cpu
need_command cc python3

# expect_all_of FILE : the wait is as long as the report, in FILE.folded and FILE.pb.gz.
expect_all_of() {
  local all_us
  all_us=$(length_us "$1.pb.gz")
  expect_between "$(folded_total '^hang;(.*;)?main;hang;' "$1.folded")" $((all_us * 98 / 100 - 30000)) $((all_us * 102 / 100 + 5000)) \
    "microseconds of the wait in ${1##*/}"
}

cat >"$tmp/hang.c" <<'C'
#include <poll.h>
__attribute__((noinline)) void hang(void) {
  __asm__ volatile("" ::"r"(__builtin_frame_address(0)));
#ifdef __x86_64__
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(7L), "D"(0L), "S"(0L), "d"(600000L) : "rcx", "r11", "memory");
#else
  poll(0, 0, 600000);
#endif
}
int main(void) { hang(); return 0; }
C
cc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o "$tmp/hang" "$tmp/hang.c" || fail "cannot compile"
start "$tmp/hang"
hanging=$started
in_poll() { [[ $(cat "/proc/$hanging/wchan") == *poll* || $(cut -d' ' -f1 "/proc/$hanging/syscall") == 7 ]]; }
wait_until in_poll

sample -e off-cpu -p "$hanging" -o "$tmp/a.folded" -o "$tmp/a.pb.gz" -o "$tmp/a.json" 2
expect_all_of "$tmp/a"
((all_us = $(length_us "$tmp/a.pb.gz"), all_us >= 2000000)) || fail "a run of two seconds lasted $all_us us"
expect_err '^1 thread was still blocked at the end; its [0-9.]+ [mu]?s are counted$'
its_us=$(told_us '1 thread was still blocked at the end; its ' 'are counted')
all=$(folded_total '^hang;' "$tmp/a.folded")
# Who freezes all processes for a while, as a host does, ends the wait and begins another. Only the last one is said.
if ((recorded == 1)); then
  # Said in seconds with three digits.
  expect_between "$its_us" $((all - 501)) $((all + 501)) "microseconds that are said"
else
  expect_between "$its_us" 0 $((all + 501)) "microseconds that are said, of $recorded waits"
fi
python3 - "$tmp/a.json" "$hanging" "$all_us" <<'PY' || fail "the JSON document tells something else: $(cat "$tmp/a.json")"
import json, sys
document = json.load(open(sys.argv[1]))
threads = document["ebpf"]["offcpu"]["thread_stats"]
assert list(threads) == [f"{sys.argv[2]}:{sys.argv[2]}"], threads
all_ns = 1000 * int(sys.argv[3])
assert abs(threads[f"{sys.argv[2]}:{sys.argv[2]}"]["total_time_ns"] - all_ns) < 0.02 * all_ns + 3e7, threads
PY

begin -e off-cpu -p "$hanging" -i 0.5 -o "$tmp/part-%02d.folded" -o "$tmp/part-%02d.pb.gz" -o "$tmp/part-%02d.json"
has_parts() { [[ -e $tmp/part-03.pb.gz ]]; }
wait_until has_parts
kill -INT "$profiler"
finish
expect_status 0
expect_balance
reports=("$tmp"/part-*.folded)
((${#reports[@]} >= 3)) || fail "${#reports[@]} reports of the wait"
# It is one wait, which counts in the report of its end. A host that freezes all processes makes it two.
waits=$(cat "$tmp"/part-*.json | grep -o '"samples": *[0-9]*' | awk -F: '{ sum += $2 } END { print sum }')
expect_between "$waits" 1 $((${#reports[@]} - 1)) "waits in ${#reports[@]} reports"
# The scheduler decides when a report is made: what one report has too much, the next has too little.
waited_us=0 all_us=0
for report in "${reports[@]}"; do
  if [[ $report != "${reports[-1]}" ]]; then expect_present '^hang;(.*;)?main;hang;' "$report"; fi
  ((waited_us += $(folded_total '^hang;(.*;)?main;hang;' "$report"), all_us += $(length_us "${report%.folded}.pb.gz"))) || true
done
expect_between "$waited_us" $((all_us * 98 / 100 - 30000)) $((all_us * 102 / 100 + 5000)) "microseconds of the wait in all reports"

sample -e off-cpu -p "$hanging" --min-block-us 600000000 -f 1
expect_absent '^hang;'
