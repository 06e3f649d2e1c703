#!/bin/bash
# Stacks of depth 10 and 100 are whole, and deeper ones where they are walked by tables; with --max-stack-depth the frames
# next to the leaf stay.
source "$(dirname "$0")/sampling.bash"

# dives N : the folded frames of `depth N`.
dives() {
  local dives
  printf -v dives '%*s' $(($1 - 2)) ''
  printf ';main;%sbottom ' "${dives// /dive;}"
}

for frames in 10 100; do
  burn depth "$frames" 600
  sample_folded -F 499 -U -p "$started" 0.5
  expect_share "$(dives "$frames")" 95 100
  sample_folded -F 499 -U -p "$started" --unwind auto 0.5
  expect_share "$(dives "$frames")" 95 100
done
for how in auto cfi fp; do
  sample_folded -F 499 -U -p "$started" --unwind "$how" --max-stack-depth 5 0.5
  # Until its table is there nothing but the leaf is known where tables alone count.
  expect_share '^depth;dive;dive;dive;dive;bottom ' "$([[ $how == cfi ]] && echo 50 || echo 95)" 100
done

most=$(cat /proc/sys/kernel/perf_event_max_stack)
profile --unwind fp --max-stack-depth $((most + 1)) 1
expect_status 1
expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
expect_err "^profile: --max-stack-depth $((most + 1)): .*kernel\.perf_event_max_stack"
expect_silence out

if walks_by_tables; then
  burn depth 400 600
  sample_folded -F 499 -U -p "$started" --unwind auto --max-stack-depth 512 0.5
  expect_share "$(dives 400)" 95 100
  sample_folded -F 499 -U -p "$started" --unwind auto 0.5
  expect_absent ';main;'
fi
