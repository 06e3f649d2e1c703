# shellcheck shell=bash
# Reads each form of --stream and counts its samples; the account may have losses.
source "$(dirname "${BASH_SOURCE[0]}")/sampling.bash"
need_command python3

# `read_stream FORM FILE PATTERN [SHARE]` checks every complete sample and prints their number. At least SHARE per cent
# must have PATTERN in their stack, where the form shows one; an incomplete sample at the end does not count.
cat >"$tmp/read_stream.py" <<'PYTHON'
import json, re, sys

form, path, pattern, share = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
with open(path, encoding="utf-8") as file:
    text = file.read()
found = samples = 0
times = []

def frames_match(names):
    global found
    found += bool(re.search(pattern, ";".join(names)))

def of_table(lines):
    assert lines[0].split() == ["TIME", "COMM", "PID", "CPUID", "KStackSz", "UStackSz"], lines[0]
    for line in lines[1:]:
        time, comm, pid, cpu, kernel, user = line.split()
        assert int(pid) >= 0 and int(cpu) >= 0 and comm, line
        assert int(kernel) % 8 in (0, 7) and int(user) % 8 in (0, 7), line  # -1: could not be taken
        frames_match([comm])
        times.append(int(time))

def of_folded(lines):
    for line in lines:
        time, comm, pid, tid, cpu, stack = line.split(" ", 5)
        assert int(pid) >= 0 and int(tid) >= 0 and int(cpu) >= 0 and comm and stack, line
        frames_match(stack.split(";"))
        times.append(int(time))

FRAME = re.compile(r"0x[0-9a-f]{16}: (.+) @ 0x[0-9a-f]+\+0x[0-9a-f]+( \[.+\])?$|0x[0-9a-f]{16}: \[.+\]$|\[(Missed .+|incomplete: .+)\]$")

def of_stacks(blocks):
    for block in blocks:
        head, *rest = block.split("\n")
        seconds, nanoseconds, pid, cpu = re.fullmatch(
            r"\[(\d+)\.(\d{9})\] COMM: .+ \(pid=(\d+)\) @ CPU (\d+)", head).groups()
        times.append(int(seconds) * 10**9 + int(nanoseconds))
        kernel = rest.pop(0)
        assert kernel in ("Kernel:", "No Kernel Stack"), block
        assert sum(line in ("Userspace:", "No Userspace Stack") for line in rest) == 1, block
        names = []
        for line in rest:
            if line not in ("Userspace:", "No Userspace Stack"):
                frame = FRAME.match(line)
                assert frame, line
                names.insert(0, frame[1] or "?")
        frames_match(names)

def of_json(lines):
    for line in lines:
        sample = json.loads(line)
        assert set(sample) - {"user_end"} == {"time_unix_ns", "comm", "pid", "tid", "cpu", "event", "unit", "value", "user", "kernel"}, line
        assert (sample["event"], sample["unit"], sample["value"]) == ("cpu-clock", "samples", 1), line
        for frame in sample["user"] + sample["kernel"]:
            assert "address" in frame or frame["symbol"].startswith("[Missed "), line
            assert ("symbol" in frame) != ("unnamed" in frame), line
        frames_match([frame.get("symbol", "?") for frame in sample["user"][::-1]])
        times.append(sample["time_unix_ns"])

pieces = text.split("\n\n" if form == "stacks" else "\n")[:-1]
{"table": of_table, "folded": of_folded, "stacks": of_stacks, "json": of_json}[form](pieces)
assert len(times) == 0 or found >= share / 100 * len(times), f"{found} of {len(times)} match {pattern}"
print(len(times))
if times:
    print(min(times), max(times), file=sys.stderr)
PYTHON
# Sets $delivered to the number of samples, and $first_ns and $last_ns to the first and last time.
# shellcheck disable=SC2034
read_stream() {
  delivered=$(python3 "$tmp/read_stream.py" "$1" "$2" "$3" "${4:-90}" 2>"$tmp/times") ||
    fail "--stream=$1 cannot be read: $(cat "$tmp/times"); $(outcome)"
  read -r first_ns last_ns <"$tmp/times"
}

# begin_into PIPE [ARGUMENTS...] : as `begin`, with stdout into a named pipe. After find_precedence it runs before other
# work.
precedence=()
begin_into() {
  tied "${precedence[@]}" "$PROFILE" "${@:2}" >"$1" 2>"$tmp/err" </dev/null &
  profiler=$!
  background+=("$profiler")
}
# expect_end_within MS : the profiler has got the signal to end, and ends in time.
expect_end_within() {
  local before=${EPOCHREALTIME/./}
  finish
  expect_between $(((${EPOCHREALTIME/./} - before) / 1000)) 0 $(($1 * slowness)) "milliseconds until it had ended"
}
