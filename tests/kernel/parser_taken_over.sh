#!/bin/bash
# Files may lie, and the process that reads them may not: a parser that a file has taken over can neither hold up the
# profiler, nor fill its memory, nor get a file that the program's own user could not read.
# Promise 6: no file of another user is parsed by the main process, or can stop it.
source "$(dirname "$0")/children.bash"

chmod 755 "$tmp"
cp "$WORKLOADS/leaves" "$tmp/leaves"
is_said() { grep -q '^sent ' "$tmp/started" || is_gone "$intruder"; }
# take_over TIMES HEX
take_over() {
  begin_with_attack "$tmp/leaves" "$1" "$2" -o "$tmp/run.folded"
  wait_until is_said
}
# end_run : the run ends as others do, and the parser is gone.
end_run() {
  let_work "$target" 10
  # A sanitizer keeps what was freed.
  if ((!SANITIZED)); then expect_between "$(status_of "$profiler" VmHWM | tr -d ' kB')" 1000 60000 "KB of the profiler"; fi
  kill -INT "$profiler"
  finish
  expect_status 0
  wait_until is_gone "$parser"
  wait_until is_gone "$intruder"
  kill -KILL "$target"
  wait "$target" 2>/dev/null
  mv "$tmp/run.folded" "$tmp/out"
  expect_present '^leaves'
}

echo "remarks without an end"
take_over 100000 010000000000000000
end_run
expect_err 'reading 1 file was given up: it did not come to an end \(/.*\)'
expect_between "$(sed -n 's/^sent //p' "$tmp/started")" 1 99999 "remarks until the profiler had enough"

echo "a message of four gigabytes"
take_over 1 f0ffffff00000000
end_run
expect_err 'reading 1 file was given up: .*\(/.*\)'

echo "a wish that is none"
take_over 1 090000000000000002FILE
end_run
expect_err 'reading 1 file was given up: .*\(/.*\)'

# wish PATH : the parser wants this file as split debug information (2, 4) of the file in question, from the first place.
wish() {
  local hex
  hex=$(printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n')
  take_over 1 "$(printf '%02x' $((${#1} + 18)))000000000000000204$(printf '%02x' ${#1})000000${hex}FILE00000000"
}
# expect_told 0|1 PATH MODE WHAT : the program says whether the parser gets a file with that mode (a head of 8 bytes, a
# word, and then this).
expect_told() {
  echo "$4"
  chmod "$3" "$2"
  wish "$2"
  wait_until grep -q '^told ' "$tmp/started"
  expect_equal "$(sed -nE 's/^told .{18}(..).*/\1/p' "$tmp/started")" "0$1" "whether it is handed over"
  kill -KILL "$parser"
  end_run
}
printf 'a secret\n' >"$tmp/text"
cp /bin/true "$tmp/program"
expect_told 0 "$tmp/text" 644 "text that everyone may read"
expect_told 0 "$tmp/program" 600 "a program that only root may read"
expect_told 1 "$tmp/program" 755 "a program that everyone may read"
