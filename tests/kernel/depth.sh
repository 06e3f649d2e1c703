#!/bin/bash
# Stacks of depth 10 and 100 are complete, and deeper ones are when unwind tables walk them. With --max-stack-depth the
# frames next to the leaf stay.
source "$(dirname "$0")/sampling.bash"

# dives N : prints the folded frames of `depth N`.
dives() {
  local dives
  printf -v dives '%*s' $(($1 - 2)) ''
  printf ';main;%sbottom ' "${dives// /dive;}"
}

for frames in 10 100; do
  burn depth "$frames" 600
  wait_until is_at_work "$started"
  sample_enough 100 -F 499 -U -p "$started" 0.5
  expect_share "$(dives "$frames")" 95 100
  sample_enough 100 -F 499 -U -p "$started" --unwind auto 0.5
  expect_share "$(dives "$frames")" 95 100
done
for how in auto cfi fp; do
  # With tables alone, only the leaf is known until the table of the file is ready.
  sample_until 'is_seen ^depth;dive;dive;dive;dive;bottom[[:space:]]' -f -F 499 -U -p "$started" --unwind "$how" --max-stack-depth 5 0.5
  if [[ $how != cfi ]]; then expect_share '^depth;dive;dive;dive;dive;bottom ' 95 100; fi
  expect_absent 'dive;dive;dive;dive;dive;'
done

most=$(cat /proc/sys/kernel/perf_event_max_stack)
profile --unwind fp --max-stack-depth $((most + 1)) 1
expect_status 1
expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
expect_err "^profile: --max-stack-depth $((most + 1)): .*kernel\.perf_event_max_stack"
expect_silence out

if walks_by_tables; then
  burn depth 400 600
  wait_until is_at_work "$started"
  has_depth() { is_seen "$(dives 400)"; }
  sample_until has_depth -f -F 499 -U -p "$started" --unwind auto --max-stack-depth 512 0.5
  sample_until 'is_seen ;bottom[[:space:]]' -f -F 499 -U -p "$started" --unwind auto 0.5
  expect_absent ';main;'
fi
