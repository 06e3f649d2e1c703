#!/bin/bash
# -p samples only the processes that it names, with all their threads. It may name several.
source "$(dirname "$0")/sampling.bash"

burn leaves 600
leaves=$started
burn reader 600
reader=$started
burn threads 600
threads=$started

for pid in "$leaves" "$reader" "$threads"; do wait_until is_at_work "$pid"; done
sample_enough 60 -F 499 -p "$leaves" 0.5
expect_share '^leaves;' 100 100
((filtered > 0)) || fail "nothing was filtered although others ran"

sought=('^reader;' '^red;.*burn_red' '^green;.*burn_green')
sample_until is_seen -f -F 499 -p "$reader,$threads" 0.7
expect_folded_total
expect_share '^(reader|red|green|threads);' 100 100

sought=("^    -                leaves \($leaves\)$" "^    -                reader \($reader\)$")
sample_until is_seen -F 499 -p "$leaves" -p "$reader" 0.4
expect_out "of PID \[$leaves, $reader\] by user \+ kernel stack for [0-9.]+ secs\.$"
expect_no_out 'burn_(red|green)'
