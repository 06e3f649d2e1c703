#!/bin/bash
# The functions of a Python script stand in the stacks, each in its place between those of C, and no stack has a wrong
# one: for samples at a rate, for waits, and for user probes. The interpreter's own function is not there.
source "$(dirname "$0")/scripts.bash"
has_layout python "$python" "$scripts/two.py" 60 || skip "this python is not known: $(cat "$tmp/languages")"

begin_script "$python" mix.py 40 threads
mix=$started
sample_enough 60 -F 499 -U -a --max-stack-depth 512 -p "$mix" 1
check_mix "$tmp/out" 40
((right > 0)) || fail "no stack is whole; $(outcome)"
expect_present ';main_\[s\];go_\[s\];.*;go_\[s\];by_reduce_\[s\];[^;]*[^]];.*;by_reduce.<locals>.<lambda>_\[s\];go_\[s\];'
expect_present 'Thread._bootstrap_\[s\];.*Thread.run_\[s\];(.*;)?main_\[s\];'

started=$mix
expect_lines mix.py 40 python

# Without the languages it is the interpreter that runs.
sample_enough 20 -F 499 -U -a --languages none -p "$mix" 0.5
expect_absent '_\[s\]'
expect_present '_PyEval_EvalFrameDefault'

# The module is the script, and the formats that have a place say where the function begins.
sample_enough 20 -F 499 -U --modules -p "$mix" 0.5
expect_present ';main \[mix.py\];go \[mix.py\];'
sample -F 499 -U --format json -p "$mix" 0.5
python3 - "$tmp/out" <<'END' || fail "JSON"
import json, sys
frames = [frame for frame in json.load(open(sys.argv[1]))["ebpf"]["profile"]["frames"] if frame["kind"] == "script"]
main = next(frame for frame in frames if frame["symbol"] == "main")
assert main["file"].endswith("mix.py") and main["line"] > 100, main
END
kill "$mix"

# Waits, probes and page faults have the same walk.
cat >"$tmp/waits.py" <<'END'
import ctypes, mmap, time
libc = ctypes.CDLL(None)
def probed():
    libc.getppid()
def faulting():
    memory = mmap.mmap(-1, 1 << 16)
    memory[0] = 1
    memory.close()
def waiting():
    time.sleep(0.002)
    probed()
    faulting()
while True:
    waiting()
END
start "$python" "$tmp/waits.py"
wait_until is_at_work "$started"
for event in off-cpu wall page-faults uprobe:libc:getppid syscalls:sys_enter_getppid; do
  has_event "$event" || continue
  sample -f -e "$event" -U -a -p "$started" 1
  case $event in
    off-cpu | wall) expect_present ';<module waits.py>_\[s\];waiting_\[s\];.*(sleep|select)' ;;
    page-faults) expect_present ';<module waits.py>_\[s\];waiting_\[s\];faulting_\[s\];' ;;
    *) expect_present ';<module waits.py>_\[s\];waiting_\[s\];probed_\[s\];.*getppid' ;;
  esac
done
kill "$started"

# Most objects come from no malloc, and the summary says where they lie.
begin_script "$python" mix.py 40
profile -e malloc --live -p "$started" 0.2
expect_err '^small objects of Python lie in arenas of its own, .*PYTHONMALLOC=malloc'
kill "$started"

# Memory of functions is used again: no stack mixes two of them, nor lines of two that have the same name.
begin_script "$python" churn.py
sample_enough 40 -F 499 -U -a -p "$started" 1
expect_churn "$tmp/out" 1
kill "$started"
begin_script "$python" churn_lines.py
sample_enough 40 -F 499 -U -a --lines -p "$started" 1
said=$(python3 "$scripts/check_churn_lines.py" "$tmp/out") || fail "check_churn_lines.py"
[[ $said =~ ^wrong\ 0\ of\ [1-9] ]] || fail "$said; $(outcome)"
