#!/bin/bash
# Waits of four kinds are as long as the program itself measures, whichever way their stacks take: through the maps, or
# through the ring when the maps have 16 places.
source "$(dirname "$0")/sampling.bash"
need_event off-cpu

head -c 40000000 /dev/urandom >"$PWD/waits.data.$$" || skip "no room for a file of 40 MB here"
at_exit "rm -f $PWD/waits.data.$$"

# waits_agree FOLDED : compares the microseconds of each function with the program's own. Sets $wrong to those that
# differ.
waits_agree() {
  wrong=
  local kind truth found least
  (($(wc -l <"$tmp/out") >= 3)) || fail "the program did not say what it measured; $(outcome)"
  while read -r kind truth; do
    found=$(folded_total "^waits;(.*;)?wait_$kind;" "$1")
    # The program also measures the way back to user space after each wait; the scheduler does not see that time. Nor
    # does it see the interrupts that come while the program runs: a disk causes many.
    least=98
    if [[ $kind == direct ]]; then least=95; fi
    ((found >= truth * least / 100 - 500 && found <= truth * 102 / 100 + 500)) || wrong+="wait_$kind: $found us, the program says $truth; "
  done <"$tmp/out"
  [[ ! $wrong ]]
}

for arguments in "" "--stack-storage-size 16 --hash-storage-size 16"; do
  # CPU time that the host takes away is only in the program's clock. It does not happen in every run.
  for _ in {1..5}; do
    # shellcheck disable=SC2086
    sample -e off-cpu $arguments -o "$tmp/waits.folded" -o "$tmp/waits.txt" -- "$WORKLOADS/waits" "$PWD/waits.data.$$" 600
    if waits_agree "$tmp/waits.folded"; then break; fi
  done
  [[ ! $wrong ]] || fail "$wrong$(outcome)"
  expect_equal "$(counted_total "$tmp/waits.txt")" "$(folded_total . "$tmp/waits.folded")" "total of the counted rows"
  # No frame of the tracing itself is at the leaf.
  expect_absent ';(bpf_prog_|bpf_trace_run|__traceiter_|__bpf_trace_)' "$tmp/waits.folded"
  expect_present '^waits;.*;wait_sleep;.*;__schedule [0-9]+$' "$tmp/waits.folded"
done
grep -q '^direct ' "$tmp/out" || echo "O_DIRECT was not tried: this file system has none"

# The threads in the report belong to the program and have their real ids.
grep -q '^Sampling' "$tmp/waits.txt" && fail "the header speaks of sampling"
head -n 1 "$tmp/waits.txt" | grep -q '^Tracing off-CPU time in microseconds of COMMAND' || fail "$(head -n 1 "$tmp/waits.txt")"
grep -Eq '^ *([0-9]+) +\1 +waits ' "$tmp/waits.txt" || fail "no line for the main thread; $(tail -n 20 "$tmp/waits.txt")"
