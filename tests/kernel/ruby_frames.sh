#!/bin/bash
# The functions of a Ruby script stand in the stacks, each in its place between those of C, and no stack has a wrong one.
# The interpreter's own function is not there.
source "$(dirname "$0")/scripts.bash"
need_command ruby
has_layout ruby ruby "$scripts/mix.rb" 40 || skip "this Ruby is not known: $(cat "$tmp/languages")"

begin_script ruby mix.rb 40
sample_enough 60 -F 499 -U -a --max-stack-depth 512 -p "$started" 1
check_mix "$tmp/out" 40 ruby
((right > 0)) || fail "no stack is whole; $(outcome)"
expect_present ';<main mix.rb>_\[s\];main_\[s\];go_\[s\];'
expect_present ';by_map_\[s\];.*;block in by_map_\[s\];go_\[s\];'
expect_present ';by_new_\[s\];.*;initialize_\[s\];go_\[s\];'
sample_enough 20 -F 499 -U --modules -p "$started" 0.5
expect_present ';main \[mix.rb\];go \[mix.rb\];'
kill "$started"

# Memory of functions is used again: no stack mixes two of them.
begin_script ruby churn.rb
sample_enough 40 -F 499 -U -a -p "$started" 1
expect_churn "$tmp/out" 1
