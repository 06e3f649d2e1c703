#!/bin/bash
# Whatever becomes of the profiler's children, at whatever moment, the run ends well, counts what it has counted, and says what it
# has lost; a parser that is lost is replaced.
source "$(dirname "$0")/children.bash"
need_command timeout

burn leaves 600/3
# expect_end WHAT : the run that is under way ends soon and well, and nothing is left of it.
expect_end() {
  local name pids=()
  for name in "${children[@]}"; do pids+=("$(child "$name")"); done
  finish
  took=$((${EPOCHREALTIME/./} - began_us))
  [[ $status == 0 ]] || fail "$1: $(outcome)"
  expect_balance
  # Nothing of it ends by itself: what is not given up lasts for ever.
  expect_between "$took" 0 $((15000000 * slowness * (1 + SANITIZED))) "microseconds: $1"
  for name in "${pids[@]}"; do if [[ $name ]]; then wait_until is_gone "$name"; fi; done
}
# A profiler that does not end is ended with the test.
begin_run() {
  began_us=${EPOCHREALTIME/./}
  begin "$@"
}

for name in "${children[@]}"; do
  for signal in KILL STOP; do
    for after in 0 0.$((RANDOM % 90 + 10)); do
      echo "$name $signal after $after s"
      begin_run -f -F 199 0.8
      wait_until has_child "$name"
      sleep "$after"
      lost=$(child "$name")
      kill -"$signal" "$lost" 2>/dev/null
      expect_end "$name, $signal, after $after s"
      expect_present '^leaves;'
      # A parser that is gone is replaced.
      if [[ $name == profile-parser ]]; then expect_present '^leaves;(.*;)?main;outer;middle;heavy '; fi
      if ! grep -q ';heavy ' "$tmp/out"; then expect_err 'given up|not answer|keeper|opener|parser'; fi
    done
  done
done

# The last moment: while the names are looked up.
for signal in KILL STOP; do
  begin_run -f -F 199 0.5
  wait_until has_child profile-parser
  sleep 0.5
  while kill -0 "$profiler" 2>/dev/null; do
    lost=$(child profile-parser)
    if [[ $lost ]]; then kill -"$signal" "$lost" 2>/dev/null; fi
    sleep 0.01
    ((${EPOCHREALTIME/./} - began_us < 20000000)) || fail "it goes on for 20 s while its parsers are lost"
  done
  finish
  [[ $status == 0 ]] || fail "parsers that all got SIG$signal: $(outcome)"
  expect_balance
done

# While it demangles: another one is asked, and the file keeps its names. The demangler's own patience is 200 ms of a CPU.
burn endless_name 600
begin_run -f -F 199 -p "$started" 0.5
wait_until has_child profile-parser
demangles() {
  lost=$(child profile-parser)
  [[ ! $lost ]] || is_gone "$profiler" || has_worked "$lost" 3
}
wait_until demangles
kill -KILL "$lost" 2>/dev/null
finish
expect_status 0
expect_balance
expect_present '^endless_name;(.*;)?main;_ZN1acvT_'
expect_absent '\[endless_name\+'

# The kernel kills them for want of memory: in a group that may have next to none, with all that they do not have yet.
# killed_for_memory : how many in the group were, so far.
killed_for_memory() {
  cat "$small_group/memory.events" "$small_group/memory.oom_control" 2>/dev/null | awk '$1 == "oom_kill" { print $2 }'
}
if make_small_group 16384; then
  # One that maps and names enough to need memory then.
  for name in "${children[@]}"; do
    killed=$(killed_for_memory)
    begin_run -f -F 999 1
    wait_until has_child "$name"
    lost=$(child "$name")
    echo "$lost" >"$small_group/cgroup.procs"
    # What it has not touched yet comes when somebody asks it.
    "$WORKLOADS/family" 0.2 >/dev/null 2>&1
    expect_end "$name without memory"
    expect_present '^leaves;'
    if [[ $name == profile-parser ]]; then expect_present '^leaves;(.*;)?main;outer;middle;heavy '; fi
    if ! grep -q ';heavy ' "$tmp/out"; then expect_err 'given up|not answer|keeper|opener|parser'; fi
    echo "$name: $(($(killed_for_memory) - killed)) killed for want of memory"
  done
else
  echo "left out: no group with a limit of memory can be made here"
fi

# With reports and a page, both go on.
begin_run -T -R 0 -i 0.3 -o "$tmp/part-%02d.folded"
wait_until has_child profile-opener
wait_until test -e "$tmp/part-01.folded"
kill -KILL "$(child profile-opener)"
wait_until test -e "$tmp/part-04.folded"
began_us=${EPOCHREALTIME/./}
kill -INT "$profiler"
expect_end "the opener of a run with reports"
