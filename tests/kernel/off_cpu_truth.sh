#!/bin/bash
# Waits of four kinds come out as long as the program itself measured them, in whichever way their stacks reach user space:
# through the maps, or through the ring buffer because the maps have 16 places.
source "$(dirname "$0")/sampling.bash"
need_event off-cpu

head -c 40000000 /dev/urandom >"$PWD/waits.data.$$" || skip "no room for a file of 40 MB here"
at_exit "rm -f $PWD/waits.data.$$"

# waits_agree FOLDED : the microseconds in each function against what the program said; what does not agree is in $wrong.
waits_agree() {
  wrong=
  local kind truth found least
  (($(wc -l <"$tmp/out") >= 3)) || fail "the program did not say what it measured; $(outcome)"
  while read -r kind truth; do
    found=$(folded_total "^waits;(.*;)?wait_$kind;" "$1")
    # What each wait ends with, its way back to user space, is seen by the program and not by the scheduler. Nor does that
    # have the interrupts that come while the program runs, which its clock leaves out: a disk's are many.
    least=98
    if [[ $kind == direct ]]; then least=95; fi
    ((found >= truth * least / 100 - 500 && found <= truth * 102 / 100 + 500)) || wrong+="wait_$kind: $found us, the program says $truth; "
  done <"$tmp/out"
  [[ ! $wrong ]]
}

for arguments in "" "--stack-storage-size 16 --hash-storage-size 16"; do
  # A CPU that the machine's host takes away while the program runs is in its clocks only, which is not so every time.
  for _ in {1..5}; do
    # shellcheck disable=SC2086
    sample -e off-cpu $arguments -o "$tmp/waits.folded" -o "$tmp/waits.txt" -- "$WORKLOADS/waits" "$PWD/waits.data.$$" 600
    if waits_agree "$tmp/waits.folded"; then break; fi
  done
  [[ ! $wrong ]] || fail "$wrong$(outcome)"
  expect_equal "$(counted_total "$tmp/waits.txt")" "$(folded_total . "$tmp/waits.folded")" "total of the counted rows"
  # Nothing of the tracing itself stands on top.
  expect_absent ';(bpf_prog_|bpf_trace_run|__traceiter_|__bpf_trace_)' "$tmp/waits.folded"
  expect_present '^waits;.*;wait_sleep;.*;__schedule [0-9]+$' "$tmp/waits.folded"
done
grep -q '^direct ' "$tmp/out" || echo "O_DIRECT was not tried: this file system has none"

# The threads of the report are the program's, under their own numbers.
grep -q '^Sampling' "$tmp/waits.txt" && fail "the header speaks of sampling"
head -n 1 "$tmp/waits.txt" | grep -q '^Tracing off-CPU time in microseconds of COMMAND' || fail "$(head -n 1 "$tmp/waits.txt")"
grep -Eq '^ *([0-9]+) +\1 +waits ' "$tmp/waits.txt" || fail "no line for the main thread; $(tail -n 20 "$tmp/waits.txt")"
