#!/bin/bash
# The functions of a Perl script stand in the stacks, each in its place between those of C, and no stack has a wrong one.
# The interpreter's own function is not there.
source "$(dirname "$0")/scripts.bash"
need_command perl
has_layout perl perl "$scripts/mix.pl" 40 || skip "this Perl is not known: $(cat "$tmp/languages")"

begin_script perl mix.pl 40
sample_enough 60 -F 499 -U -a --max-stack-depth 512 -p "$started" 1
check_mix "$tmp/out" 40 perl
((right > 0)) || fail "no stack is whole; $(outcome)"
expect_present ';<main mix.pl>_\[s\];main::main_\[s\];main::go_\[s\];'
expect_present ';main::by_compare_\[s\];.*;main::compared_\[s\];main::go_\[s\];'
expect_present ';main::by_closure_\[s\];main::<__ANON__ mix.pl:[0-9]+>_\[s\];main::go_\[s\];'
expect_lines mix.pl 40 perl
sample_enough 20 -F 499 -U --modules -p "$started" 0.5
expect_present ';main::main \[mix.pl\];main::go \[mix.pl\];'
kill "$started"

# Memory of functions is used again: no stack mixes two of them.
begin_script perl churn.pl
sample_enough 40 -F 499 -U -a -p "$started" 1
expect_churn "$tmp/out" 1
