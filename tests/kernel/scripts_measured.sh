#!/bin/bash
# How much of the stacks of PHP, Ruby, Perl and Node.js is whole and right, and functions that are made and freed for a minute.
source "$(dirname "$0")/scripts.bash"

# measure LANGUAGE ENDING [ARGUMENT...] : of the program mix.ENDING
measure() {
  local language=$1 ending=$2 kind
  shift 2
  if ! command -v "$language" >/dev/null || ! has_layout "$language" "$language" "$scripts/mix.$ending" 40; then
    echo "no known $language here"
    return
  fi
  begin_script "$language" "mix.$ending" 40 "$@"
  sample_enough 2000 -F 997 -U -a --max-stack-depth 512 -p "$started" 10
  [[ $language == node ]] && kind=optimised-node || kind=$language
  check_mix "$tmp/out" 40 "$kind"
  expect_between "$(awk -v right="$right" -v of="$of" 'BEGIN { print 100 * right / of }')" 99 100 "per cent right of $of"
  kill "$started"
  begin_script "$language" "churn.$ending"
  sample_enough 2000 -F 997 -U -a -p "$started" 60
  expect_churn "$tmp/out" 100
  kill "$started"
  measured=1
}

measured=''
measure php php
measure ruby rb threads
measure perl pl
measure node js
[[ $measured ]] || skip "there is no PHP, Ruby, Perl or Node.js here"
