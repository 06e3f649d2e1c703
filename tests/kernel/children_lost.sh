#!/bin/bash
# Whenever and however a child of the profiler is lost, the run ends well, reports what it has counted, and says what it
# has lost. A lost parser is replaced.
source "$(dirname "$0")/children.bash"
need_command timeout

burn leaves 600/3
leaves=$started
# An emulated CPU cannot keep up with a profiler that samples all processes more often, or with several at once.
rate=$((slowness > 1 ? 99 : 499))
# note_children : records the pids that expect_end will check.
note_children() {
  local name
  pids=()
  for name in "${children[@]}"; do pids+=("$(child "$name")"); done
}
# expect_end WHAT : the run has got the signal to end, ends well, and leaves no process.
expect_end() {
  local name
  finish
  took=$((${EPOCHREALTIME/./} - began_us))
  [[ $status == 0 ]] || fail "$1: $(outcome)"
  expect_balance
  # A wait for a lost child would never end by itself, so this limit finds every such wait.
  expect_between "$took" 0 $((60000000 * slowness * (1 + SANITIZED))) "microseconds: $1"
  for name in "${pids[@]}"; do if [[ $name ]]; then wait_until is_gone "$name"; fi; done
}
# A profiler that does not end is killed with the test.
begin_run() {
  began_us=${EPOCHREALTIME/./}
  begin "$@"
}
# end_run : ends the run after `leaves` has computed long enough to be seen.
end_run() {
  wait_until has_begun
  let_work "$leaves" 10
  note_children
  kill -INT "$profiler"
}
# expect_told NAME : `leaves` is in the report; where it has no names, the profiler says why.
expect_told() {
  mv "$tmp/run.folded" "$tmp/out"
  expect_present '^leaves;'
  # A lost parser is replaced.
  if [[ $1 == profile-parser ]]; then expect_present '^leaves;(.*;)?main;outer;middle;heavy '; fi
  if ! grep -q ';heavy ' "$tmp/out"; then expect_err 'given up|not opened|the process that (opens|reads) files'; fi
}

silent_files='file systems? (that )?do(es)? not answer'
# lose NAME SIGNAL SECONDS : sends the signal so long after the child began.
lose() {
  echo "$1 $2 after $3 s"
  begin_run -F "$rate" -o - -o "$tmp/run.folded"
  wait_until has_child "$1"
  sleep "$3"
  lost=$(child "$1")
  kill -"$2" "$lost" 2>/dev/null
  end_run
  expect_end "$1, $2, after $3 s"
  expect_told "$1"
  # The child is gone, and no file system is to blame.
  if [[ $2 == KILL ]]; then expect_no_err "$silent_files"; fi
}
for name in "${children[@]}"; do
  for signal in KILL STOP; do
    for after in 0 0.$((RANDOM % 90 + 10)); do
      aside lose "$name" "$signal" "$after"
      if ((slowness > 1)); then join_asides; fi
    done
  done
  join_asides
done

# The last moment: while the profiler looks up names.
for signal in KILL STOP; do
  begin_run -f -F 199 0.5
  wait_until has_child profile-parser
  sleep 0.5
  while kill -0 "$profiler" 2>/dev/null; do
    lost=$(child profile-parser)
    if [[ $lost ]]; then kill -"$signal" "$lost" 2>/dev/null; fi
    sleep 0.01
    ((${EPOCHREALTIME/./} - began_us < 60000000)) || fail "it goes on for a minute while its parsers are lost"
  done
  finish
  [[ $status == 0 ]] || fail "parsers that all got SIG$signal: $(outcome)"
  expect_balance
done

# A parser that a signal has stopped is not taken for a file system that does not answer: what it has read keeps its
# names.
start sh -c 'until [ -e "$0" ]; do sleep 0.05; done; exec "$1" plain 600' "$tmp/go" "$WORKLOADS/frameless"
later=$started
begin_run -F 199 -p "$leaves,$later" -o - -o "$tmp/run.folded"
wait_until has_begun
let_work "$leaves" 10
pause 1
lost=$(child profile-parser)
kill -STOP "$lost"
# Now the profiler needs the table of another program.
touch "$tmp/go"
if walks_by_tables; then wait_until is_gone "$lost"; fi
let_work "$later" 10
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_no_err 'not answer'
expect_present '^leaves;(.*;)?__libc_start_main.*;main;outer;middle;heavy ' "$tmp/run.folded"

# While the parser demangles: another parser takes over, and the file keeps its names. The demangler stops by itself
# only after 200 ms of CPU time. The run ends without a signal, because a signal would limit the time for the names.
burn endless_name 600
wait_until is_at_work "$started"
begin_run -F 199 -p "$started" -o - -o "$tmp/run.folded" 0.7
wait_until has_begun
let_work "$started" 20
worked=$(work_of "$(child profile-parser)" 2>/dev/null)
demangles() {
  lost=$(child profile-parser)
  is_gone "$profiler" || { [[ $lost ]] && has_worked "$lost" $((${worked:-0} + 3)); }
}
wait_until demangles
kill -KILL "$lost" 2>/dev/null
finish
expect_status 0
expect_balance
mv "$tmp/run.folded" "$tmp/out"
expect_present '^endless_name;(.*;)?main;_ZN1acvT_'
expect_absent '\[endless_name\+'

# The kernel kills the children for lack of memory: they move to a cgroup that has almost none.
# killed_for_memory : prints how many processes of the group the kernel has killed so far.
killed_for_memory() {
  cat "$small_group/memory.events" "$small_group/memory.oom_control" 2>/dev/null | awk '$1 == "oom_kill" { print $2 }'
}
if make_small_group 16384; then
  # `family` maps and names enough files that the child needs memory then.
  for name in "${children[@]}"; do
    killed=$(killed_for_memory)
    begin_run -F 999 -o - -o "$tmp/run.folded"
    wait_until has_child "$name"
    lost=$(child "$name")
    echo "$lost" >"$small_group/cgroup.procs"
    # The child takes new memory when it gets requests.
    "$WORKLOADS/family" 0.1cpu >/dev/null 2>&1
    end_run
    expect_end "$name without memory"
    expect_told "$name"
    expect_no_err "$silent_files"
    echo "$name: $(($(killed_for_memory) - killed)) killed for want of memory"
  done
else
  echo "left out: no group with a limit of memory can be made here"
fi

# With reports and a page, both continue.
begin_run -T -R 0 -i 0.3 -o "$tmp/part-%02d.folded"
wait_until has_child profile-opener
wait_until test -e "$tmp/part-01.folded"
kill -KILL "$(child profile-opener)"
wait_until test -e "$tmp/part-04.folded"
began_us=${EPOCHREALTIME/./}
note_children
kill -INT "$profiler"
expect_end "the opener of a run with reports"
expect_no_err "$silent_files"
