#!/bin/bash
# -L samples only the threads that it names, and no other thread of the process.
source "$(dirname "$0")/sampling.bash"

burn threads 600
red=$(tid_of "$started" red)
green=$(tid_of "$started" green)
for thread in "$red" "$green"; do wait_until is_at_work "$started/task/$thread"; done

sample_enough 60 -F 499 -L "$red" 0.5
expect_share '^red;.*burn_red' 100 100
sought=('^red;.*burn_red' '^green;.*burn_green')
sample_until is_seen -f -F 499 -L "$green,$red" 0.5
expect_folded_total
expect_share '^(red|green);' 100 100

# --comm matches the whole name, unless it ends with a star. A name that is too long for the kernel means its first 15
# characters.
sample_enough 60 -F 499 -p "$started" --comm red 0.5
expect_share '^red;.*burn_red' 100 100
sample_enough 60 -F 499 -p "$started" --comm gree --comm 're*' 0.5
expect_share '^red;.*burn_red' 100 100
cp "$WORKLOADS/leaves" "$tmp/named-by-fifteen-and-more"
sample_folded -F 499 --comm named-by-fifteen-and-more -- "$tmp/named-by-fifteen-and-more" 0.5cpu
expect_share '^named-by-fiftee;' 100 100
sample_folded -F 499 --comm named -- "$tmp/named-by-fifteen-and-more" 0.3cpu
expect_equal "$(wc -l <"$tmp/out")" 0 "lines of a name that nobody has"

# Counted rows have the name of the thread and the id of the process.
sought=("^    -                green \($started\)$")
sample_until is_seen -F 499 -L "$green" 0.3
expect_out "of TID \[$green\] by user \+ kernel stack"
expect_no_out burn_red
