#!/bin/bash
# The profiler starts quickly: a command after -- begins soon, and a very short run ends soon. The benchmark has the
# exact figures; this test has a limit for any machine.
source "$(dirname "$0")/sampling.bash"
((SANITIZED == 0)) || skip "a sanitized program's time says nothing"

# Takes the best of five runs.
find_precedence
best=1000000
for _ in 1 2 3 4 5; do
  start_us=${EPOCHREALTIME/./}
  run "${precedence[@]}" "$PROFILE" -f -F 999 -o "$tmp/a.folded" -- bash -c 'echo "${EPOCHREALTIME/./}"'
  expect_status 0
  took=$(($(cat "$tmp/out") - start_us))
  if ((took < best)); then best=$took; fi
done
expect_between "$best" 0 150000 "microseconds until the command ran"

# Samples one process, because the names of other processes may take any time.
burn pinned 0 600
wait_until is_at_work "$started"
best=1000000
for _ in 1 2 3 4 5; do
  start_us=${EPOCHREALTIME/./}
  run "${precedence[@]}" "$PROFILE" -f -F 999 -p "$started" 0.05
  took=$((${EPOCHREALTIME/./} - start_us - 50000))
  if ((took < best)); then best=$took; fi
  expect_status 0
  expect_balance
  expect_folded_total
done
expect_between "$best" 0 400000 "microseconds of a run beyond its 50 ms"
# The run did sample for those 50 ms. The CPU is busy, because some kernels take no samples on idle ones.
sample -F 999 -C 0 -f -o - -o "$tmp/a.pb.gz" 0.05
expect_folded_total
expect_between $((taken * 1000000 / $(length_us "$tmp/a.pb.gz"))) 500 2000 "samples a second at 999 Hertz"
