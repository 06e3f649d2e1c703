#!/bin/bash
# The functions of a PHP script stand in the stacks, each in its place between those of C, and no stack has a wrong one.
# The interpreter's own function is not there.
source "$(dirname "$0")/scripts.bash"
need_command php
has_layout php php "$scripts/mix.php" 40 || skip "this PHP is not known: $(cat "$tmp/languages")"

begin_script php mix.php 40
sample_enough 60 -F 499 -U -a --max-stack-depth 512 -p "$started" 1
check_mix "$tmp/out" 40 php
((right > 0)) || fail "no stack is whole; $(outcome)"
expect_present ';<main mix.php>_\[s\];main_\[s\];go_\[s\];'
expect_present ';by_map_\[s\];array_map_\[s\];.*;go_\[s\];'
expect_present ';by_sort_\[s\];usort_\[s\];.*;\{closure mix.php:[0-9]+\}_\[s\];go_\[s\];'
sample_enough 20 -F 499 -U --modules -p "$started" 0.5
expect_present ';main \[mix.php\];go \[mix.php\];'
kill "$started"

# Memory of functions is used again: no stack mixes two of them.
begin_script php churn.php
sample_enough 40 -F 499 -U -a -p "$started" 1
expect_churn "$tmp/out" 1
