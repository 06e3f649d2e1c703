#!/bin/bash
# Files may lie, and the process that reads them may not: a parser that a file has taken over can neither hold up the
# profiler, nor fill its memory, nor get a file that the program's own user could not read.
source "$(dirname "$0")/children.bash"

chmod 755 "$tmp"
cp "$WORKLOADS/leaves" "$tmp/leaves"
start setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/leaves" 600
leaves=$started
is_waiting() { [[ $(status_of "$1" Seccomp) == 2 && $(cat "/proc/$1/syscall" 2>/dev/null) == [0-9]* ]]; }
is_said() { grep -q '^sent ' "$tmp/started" || is_gone "$intruder"; }
# has_open PROCESS FILE
has_open() { [[ $(find -L "/proc/$1/fd" -samefile "$2" 2>/dev/null) ]]; }

# take_over TIMES HEX : in a run, makes the parser of the program say these bytes so often instead of an answer.
take_over() {
  begin -F 99 -p "$leaves" -o "$tmp/run.folded"
  wait_until has_child profile-parser
  parser=$(child profile-parser)
  wait_until is_waiting "$parser"
  start "$WORKLOADS/intruder" "$parser" say "$@"
  intruder=$started
  wait_until is_said
}
# end_run : the run ends as others do, and the parser is gone.
end_run() {
  kill -INT "$profiler"
  finish
  expect_status 0
  wait_until is_gone "$parser"
  wait_until is_gone "$intruder"
  mv "$tmp/run.folded" "$tmp/out"
  expect_present '^leaves'
}

echo "remarks without an end"
take_over 100000 010000000000000000
end_run
expect_err 'reading 1 file was given up: it did not come to an end \(.*/leaves\)'
expect_between "$(sed -n 's/^sent //p' "$tmp/started")" 1 99999 "remarks until the profiler had enough"

echo "a message of four gigabytes"
take_over 1 f0ffffff00000000
end_run
expect_err 'reading 1 file was given up: .*/leaves'

echo "a wish that is none"
take_over 1 090000000000000002FILE
end_run
expect_err 'reading 1 file was given up: .*/leaves'

# wish PATH : the parser wants this file as split debug information (2, 4) of the file in question, from the first place.
wish() {
  local hex
  hex=$(printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n')
  take_over 1 "$(printf '%02x' $((${#1} + 18)))000000000000000204$(printf '%02x' ${#1})000000${hex}FILE00000000"
}
# expect_refused PATH : neither the parser nor the opener gets the file in a time in which it gets others.
expect_refused() {
  echo "$2"
  chmod "$3" "$1"
  wish "$1"
  for _ in {1..10}; do
    if has_open "$parser" "$1" || has_open "$(child profile-opener)" "$1"; then fail "$2 is handed over"; fi
    pause 0.05
  done
  kill -KILL "$parser" 2>/dev/null
  end_run
}
printf 'a secret\n' >"$tmp/text"
cp /bin/true "$tmp/program"
expect_refused "$tmp/text" "text that everyone may read" 644
expect_refused "$tmp/program" "a program that only root may read" 600
# The check itself: a program that everyone may read is handed over.
chmod 755 "$tmp/program"
wish "$tmp/program"
wait_until has_open "$parser" "$tmp/program"
kill -KILL "$parser"
end_run
