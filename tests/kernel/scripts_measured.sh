#!/bin/bash
# How much of the stacks of PHP, Ruby, Perl, Node.js and Java is whole and right, and functions that are made and freed for a
# minute.
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

# measure_java KIND OPTION... : of Mix.java and Churn.java
measure_java() {
  local java=(java "${@:2}" -cp "$tmp/classes")
  begin_script "${java[@]}" Mix 40
  sample_enough 2000 -F 997 -U -a --max-stack-depth 512 -p "$started" 10
  check_mix "$tmp/out" 40 "$1"
  expect_between "$(awk -v right="$right" -v of="$of" -v other="$other" 'BEGIN { print 100 * right / (of - other) }')" 98 100 \
    "per cent right of $of"
  kill "$started"
  begin_script "${java[@]}" Churn 20
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
if command -v javac >/dev/null && javac -nowarn -d "$tmp/classes" "$scripts/Mix.java" "$scripts/Churn.java" 2>"$tmp/err" &&
  has_layout java java -cp "$tmp/classes" Mix 40; then
  measure_java java -Xint
  measure_java java -Xmx512m
fi
[[ $measured ]] || skip "there is no PHP, Ruby, Perl, Node.js or Java here"
