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
expect_lines mix.php 40 php
sample_enough 20 -F 499 -U --modules -p "$started" 0.5
expect_present ';main \[mix.php\];go \[mix.php\];'
kill "$started"

# The interpreter saves its place only where it may fail. What it calls elsewhere has the line all the same.
cat >"$tmp/joined.php" <<'END'
<?php
function small($n) { return $n + 1; }
function joined() {
    $text = str_repeat('x', 300000);
    $n = small(1);
    $n = small($n);
    $other = $text . $text;
    return strlen($other) + $n;
}
while (true) joined();
END
start php "$tmp/joined.php"
wait_until has_worked "$started" 20
sample_enough 40 -F 499 -U --lines -p "$started" 1
expect_present ';joined joined.php:7;'
kill "$started"

# Memory of functions is used again: no stack mixes two of them.
begin_script php churn.php
sample_enough 40 -F 499 -U -a -p "$started" 1
expect_churn "$tmp/out" 1
