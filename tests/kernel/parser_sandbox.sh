#!/bin/bash
# Which system calls the parser may make: a run makes only the calls in the list. A call that a hostile file might cause
# kills the parser.
# Promise 6: no file of another user is parsed by the main process, or can stop it.
source "$(dirname "$0")/children.bash"

allowed='pread64 read write sendto recvmsg close fstat mmap munmap mremap mprotect madvise brk futex getrandom clock_gettime
  rt_sigreturn exit exit_group'
# Linux makes these calls for another program's probe in one of the parser's libraries. strace may not know their names.
allowed+=' uretprobe uprobe syscall_0x14f syscall_0x150'

# A sanitized program also makes the sanitizers' calls.
if ! command -v strace >/dev/null; then
  without "the calls of a run" "there is no strace here"
elif ((SANITIZED == 0)); then
  # Not of the whole machine: when each call is traced, the profiler would be too slow on a busy one.
  burn leaves 600
  pids=$started
  mangled=$WORKLOADS/mangled
  if [[ -x $mangled ]]; then start "$mangled" 600 && pids+=,$started; fi
  burn jit plain 600
  pids+=,$started
  at_exit "rm -f '/tmp/perf-$started.map'"
  wait_until test -s "/tmp/perf-$started.map"
  mkdir "$tmp/calls"
  # With each call traced, a busy machine may be too late for a name, so this repeats.
  for seconds in 1 2 4 8; do
    run strace -f -ff -qq -o "$tmp/calls/of" "$PROFILE" --lines -f -F 499 -p "$pids" $seconds
    expect_status 0
    if (($(folded_total '^leaves;(.*;)?main[^;]*;outer[^;]*;middle[^;]*;heavy') > 0)); then break; fi
  done
  expect_present '^leaves;(.*;)?main[^;]*;outer[^;]*;middle[^;]*;heavy'
  parsers=$(grep -l 'PR_SET_NAME, "profile-parser"' "$tmp"/calls/of.*) || fail "no parser was seen"
  for parser in $parsers; do
    # The calls after the filter was installed.
    awk '/^(seccomp\(SECCOMP_SET_MODE_FILTER|prctl\(PR_SET_SECCOMP)/ && / = 0$/ { found = 1; next } found' "$parser" |
      grep -v '^[-+]' >"$tmp/asked"
    [[ -s $tmp/asked ]] || fail "the parser does nothing after its filter: $(tail -n 5 "$parser")"
    others=$(sed -nE 's/^([a-z0-9_]+)\(.*/\1/p' "$tmp/asked" | sort -u | grep -vxF "$(tr -s ' ' '\n' <<<"$allowed")")
    expect_equal "${others//$'\n'/ }" '' "system calls of the parser that are not in the list"
    if grep -E '^m(map|protect)\(.*PROT_EXEC' "$tmp/asked"; then fail "the parser makes memory that can be run"; fi
  done
fi

# intrude NAME : makes a parser do this call in the middle of a run. Sets $answer to what happens.
intrude() {
  begin -f -F 99 -p $$
  wait_until has_child profile-parser
  parser=$(child profile-parser)
  wait_until is_waiting "$parser"
  run "$WORKLOADS/intruder" "$parser" "$1"
  expect_status 0
  answer=$(cat "$tmp/out")
}
# is_waiting PID : the parser is in its sandbox, which it enters after it has set its name, and waits for a request.
is_waiting() { [[ $(status_of "$1" Seccomp) == 2 && $(cat "/proc/$1/syscall" 2>/dev/null) == [0-9]* ]]; }
end_run() {
  kill -INT "$profiler"
  finish
  expect_status 0
  expect_balance
}
intrude getrandom
expect_equal "$answer" 'answered 0' "what is in the list"
end_run
for call in open connect fork exec socket kill memory; do
  echo "$call"
  intrude "$call"
  expect_equal "$answer" 'killed by 31' "$call"
  wait_until is_gone "$parser"
  end_run
done
