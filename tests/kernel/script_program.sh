#!/bin/bash
# A run begins with a program that the kernel takes quickly, which walks native frames alone. The program that shows
# functions of scripts comes when an interpreter is met: not for native programs, and nothing that it shows is wrong.
source "$(dirname "$0")/scripts.bash"
has_layout python "$python" "$scripts/two.py" 60 || skip "this python is not known: $(cat "$tmp/languages")"

# programs_of PID : prints how many programs for perf events the process has loaded.
programs_of() { cat "/proc/$1/fdinfo/"* 2>/dev/null | grep -c '^prog_type:.*7$'; }
options=(-F 499 -U -f -a --max-stack-depth 512)
interrupt() {
  kill -INT "$profiler"
  finish
  ((status == 0)) || fail "status $status: $(cat "$tmp/err")"
}
has_programs() { (($(programs_of "$profiler") == $1)); }

start "$WORKLOADS/leaves" 600
begin "${options[@]}" -p "$started"
wait_until has_programs 2
pause 0.5
has_programs 2 || fail "$(programs_of "$profiler") programs for a native process"
interrupt
expect_present 'leaves;'

begin_script "$python" mix.py 40 threads
mix=$started
begin "${options[@]}" -p "$mix"
wait_until has_programs 3
interrupt

# The interpreter is met by a sample. What was taken before is counted as such.
begin "${options[@]}"
wait_until has_programs 3
pause 0.5
interrupt
grep -F 'module mix.py' "$tmp/out" >"$tmp/mix" || fail "no stack of the script; $(outcome)"
check_mix "$tmp/mix" 40
((wrong == 0)) || fail "$wrong stacks are wrong; $(outcome)"
((right > 0)) || fail "$right stacks are whole; $(outcome)"
# The first sample in it may come at any time.
if grep -E 'Py_(Bytes)?Main|_PyEval_' "$tmp/out" | grep -qvF 'module mix.py'; then
  expect_err 'script frames missing in [0-9]+ of [0-9]+ stacks of python: .*[0-9]+ taken before its file was read'
fi

# Where no functions are wanted, it never comes.
begin "${options[@]}" --languages none -p "$mix"
pause 0.5
has_programs 2 || fail "$(programs_of "$profiler") programs without languages"
interrupt
