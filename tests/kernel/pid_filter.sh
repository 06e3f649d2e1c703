#!/bin/bash
# -p samples the processes it names and no other; several, with all their threads.
source "$(dirname "$0")/sampling.bash"

burn leaves 600
leaves=$started
burn reader 600
reader=$started
burn threads 600
threads=$started

sample_folded -F 499 -p "$leaves" 0.5
expect_share '^leaves;' 100 100
((filtered > 0)) || fail "nothing was filtered although others ran"

sample_folded -F 499 -p "$reader,$threads" 0.7
expect_present '^reader;'
expect_present '^red;.*burn_red'
expect_present '^green;.*burn_green'
expect_share '^(reader|red|green|threads);' 100 100

sample -F 499 -p "$leaves" -p "$reader" 0.4
expect_out "of PID \[$leaves, $reader\] by user \+ kernel stack for 0\.4 secs\.$"
expect_out "^    -                leaves \($leaves\)$"
expect_out "^    -                reader \($reader\)$"
expect_no_out 'burn_(red|green)'
