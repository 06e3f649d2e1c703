#!/bin/bash
# The functions of a script of Node.js stand in the stacks in place of the engine's code, interpreted and compiled, and
# no stack has a wrong one. A compiler may put functions into their callers; those have no frames.
source "$(dirname "$0")/scripts.bash"
need_command node
has_layout node node "$scripts/mix.js" 40 || skip "this Node.js is not known: $(cat "$tmp/languages")"

begin_script node --jitless mix.js 40
sample_enough 60 -F 499 -U -a --max-stack-depth 512 -p "$started" 1
check_mix "$tmp/out" 40 node
((right > 0)) || fail "no stack is whole; $(outcome)"
expect_present ';<function [0-9]+ of mix.js>_\[s\];main_\[s\];go_\[s\];'
expect_present ';byMap_\[s\];.*;mapped_\[s\];go_\[s\];'
sample_enough 20 -F 499 -U --modules -p "$started" 0.5
expect_present ';main \[mix.js\];go \[mix.js\];'
kill "$started"

begin_script node mix.js 40
sample_enough 60 -F 499 -U -a --max-stack-depth 512 -p "$started" 1
check_mix "$tmp/out" 40 optimised-node
((right > 0)) || fail "no stack is whole; $(outcome)"
kill "$started"

# The code of a regular expression has no function, but is no unknown code either.
start node -e 'function check() { return /^(a+)+$/.test("aaaaaaaaaaaaaaaaaaaaaa!"); } for (;;) check()'
wait_until has_worked "$started" 20
sample_enough 20 -F 499 -U -a -p "$started" 0.5
grep -q '^node \(20\|22\) ' "$tmp/languages" && expect_present ';<regular expression>_\[s\] '
kill "$started"

# Memory of functions is used again: no stack mixes two of them.
begin_script node churn.js
sample_enough 40 -F 499 -U -a -p "$started" 1
expect_churn "$tmp/out" 1
