#!/bin/bash
# A child that has ended may be told to end later, when another process has its number: that process is left alone.
source "$(dirname "$0")/children.bash"
[[ -w /proc/sys/kernel/ns_last_pid ]] || skip "the next number cannot be chosen here"

burn leaves 600
burning=$started
has_no_process() { [[ ! -e /proc/$1 ]]; }
# take_number NUMBER : starts $innocent, which has that number. False: it went to another process.
take_number() {
  for _ in {1..500}; do
    echo $(($1 - 1)) >/proc/sys/kernel/ns_last_pid
    start sleep 600
    innocent=$started
    if ((innocent == $1)); then return; fi
    { kill -KILL "$innocent" && wait "$innocent"; } 2>/dev/null
  done
  echo "left out: the number went to another process"
  return 1
}
# lose CHILD [OPTION...] : the child's number is another process's, and the run ends, which ends the child, too.
lose() {
  local number is_taken=0
  begin_counted -F 99 -p "$burning" -o - -o "$tmp/run.folded" "${@:2}"
  wait_until has_child "$1"
  number=$(child "$1")
  kill -KILL "$number"
  wait_until has_no_process "$number"
  if take_number "$number"; then is_taken=1; fi
  # Enough work for some samples.
  let_work "$burning" 10
  kill -INT "$profiler"
  finish
  expect_status 0
  if ((is_taken)); then kill -0 "$innocent" || fail "the process with the number of $1 was killed"; fi
  { kill -KILL "$innocent" && wait "$innocent"; } 2>/dev/null
  mv "$tmp/run.folded" "$tmp/out"
  expect_present '^leaves;(.*;)?main;outer;middle;heavy '
}

# The profiler asks its parser, sees that it is gone, and starts another one.
lose profile-parser
if ldconfig -p | grep -q 'libdebuginfod\.so\.1'; then
  chmod 755 "$tmp" # for the cache of another user
  export DEBUGINFOD_URLS=http://127.0.0.1:1 DEBUGINFOD_CACHE_PATH=$tmp/cache
  lose profile-fetch --debuginfod
fi

# A child of the main process itself keeps its number until the profiler has asked for its end, even if whoever started
# the profiler has ignored the signal for that.
ahead=(env --ignore-signal=CHLD)
begin_counted -F 99 -p "$burning" -o - --push parca+http://127.0.0.1:1
has_pusher() { pusher=$(pgrep -x -P "$profiler" profile-push); }
wait_until has_pusher
kill -KILL "$pusher"
wait_until is_gone "$pusher"
grep -q '^State:.*Z' "/proc/$pusher/status" || fail "the number of the process that pushes is free"
kill -INT "$profiler"
finish
expect_status 1
expect_err 'the process that pushes profiles was ended'
