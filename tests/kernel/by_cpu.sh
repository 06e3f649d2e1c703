#!/bin/bash
# --per-thread and --per-cpu separate rows, for every source and for every way a sample takes. They change nothing else:
# totals and texts stay the same.
source "$(dirname "$0")/sampling.bash"
need_cpus
# busybody does a little of everything at every moment, so it needs precedence over other programs.
find_precedence
find_disk

# sample_some [ARGUMENT...] SECONDS : repeats with longer times until there are samples, because a busy machine may give
# none in a short time.
sample_some() {
  local window
  for window in 0.3 1 4 16 60; do
    sample "$@" "$window"
    if ((recorded > 0)); then return; fi
  done
}

# rows FILE : checks the rows of a JSON document against the folded lines beside it.
rows=$tmp/rows.py
cat >"$rows" <<'EOF'
import json, re, sys
document, folded, pid, cpus, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]
ebpf = json.loads(open(document).readlines()[-1])["ebpf"]
part = ebpf.get("profile") or ebpf["offcpu"]["stack_traces"]
rows = part["rows"]
assert rows, "no rows"
processes = part["processes"]
total = sum(row["value"] for row in rows)
lines = {}
for line in open(folded, errors="replace"):
    text, count = line.rstrip("\n").rsplit(" ", 1)
    assert text not in lines, "a stack stands twice: " + text
    lines[text] = int(count)
assert sum(lines.values()) == total, (sum(lines.values()), total)
assert {processes[row["process"]]["pid"] for row in rows} == {pid}, processes
# Equal frames with another end are another stack: frame pointers may reach the root before its table is there.
keys = [tuple(row.get(k) for k in ("process", "tid", "cpu", "thread", "user", "user_end", "kernel", "tag")) for row in rows]
assert len(set(keys)) == len(keys), "a row stands twice"
want = set(map(int, cpus.split(","))) if cpus else {None}
got = {row.get("cpu") for row in rows}
assert got and got <= want, (got, want)
tids = {row.get("tid") for row in rows}
if threads:
    assert tids <= set(map(int, threads.split(","))), (tids, threads)
else:
    assert tids == {None}, tids
print(len(tids), len(got), total)
EOF
# expect_rows PID CPUS THREADS : checks $tmp/a.json and $tmp/a.folded.
expect_rows() {
  found=$(python3 "$rows" "$tmp/a.json" "$tmp/a.folded" "$@" 2>&1) || fail "$event ${options[*]}: $found"
}
# Prints the ids of all threads, separated by commas.
threads_of() { find "/proc/$1/task" -mindepth 1 -maxdepth 1 -printf '%f,' | sed 's/,$//'; }

# apart CPUS THREADS [OPTION...] : samples $wanted with these options and checks the rows.
apart() {
  options=("${@:3}")
  sample_some -e "${words[@]}" "${rate[@]}" -p "$wanted" -o "$tmp/a.json" -o "$tmp/a.folded" "${options[@]}"
  expect_rows "$wanted" "$1" "$2"
}

# One source for each BPF program; kernel/every_source has all sources.
sources=("cpu-clock" "uprobe:libc:malloc" "block-io" "off-cpu" "wall" "syscalls --latency" "malloc")
for line in "${sources[@]}"; do
  read -ra words <<<"$line"
  event=${words[0]}
  echo "$line"
  has_event "$event" || continue
  # No other program waits for the disk, because a disk has no precedence.
  place=-
  if [[ $event == block-io ]]; then place=$disk; fi
  start "${precedence[@]}" taskset -c "$cpu" "$WORKLOADS/busybody" "$place" 600
  wanted=$started
  tid_of "$wanted" idler >"$tmp/idler"
  threads=$(threads_of "$wanted")
  rate=()
  if [[ $event =~ clock|page-faults|context-switches|wall ]]; then rate=(-F 997); fi
  if [[ $event == cpu-clock || $event == off-cpu ]]; then
    aside apart '' ''
    aside apart "$cpu" '' --per-cpu
    aside apart '' "$threads" --per-thread
  fi
  aside apart "$cpu" "$threads" --per-thread --per-cpu
  # Samples go through the ring when stacks collide and when the histogram is full.
  aside apart "$cpu" "$threads" --per-thread --per-cpu --stack-storage-size 1
  aside apart "$cpu" "$threads" --per-thread --per-cpu --hash-storage-size 1
  join_asides
  kill "$wanted"
done

# Two threads wait, and both are seen, even those that blocked before the run began.
event='off-cpu'
need_event off-cpu
start "${precedence[@]}" taskset -c "$cpu" "$WORKLOADS/busybody" - 600
wanted=$started
idler=$(tid_of "$wanted" idler)
options=(--per-thread --per-cpu)
for window in 0.5 1 4 16 60; do
  sample -e off-cpu -p "$wanted" "${options[@]}" -o "$tmp/a.json" -o "$tmp/a.folded" "$window"
  if ((recorded == 0)); then continue; fi
  expect_rows "$wanted" "$cpu" "$wanted,$idler"
  if [[ ${found%% *} == 2 ]]; then break; fi
done
expect_equal "${found%% *}" 2 "threads that waited"
# The program runs on no other CPU.
if [[ $cpu != "$other" ]]; then
  sample -p "$wanted" -F 997 -C "$other" --per-cpu -o "$tmp/a.folded" 0.3
  expect_equal "$(folded_total . "$tmp/a.folded")" 0 "samples on the other CPU"
fi
kill "$wanted"

# Known counts do not change: 30,000 calls stay 30,000, however they are divided.
for options in '' '--per-thread --per-cpu'; do
  # shellcheck disable=SC2086
  sample -e syscalls:sys_enter_getppid $options -o "$tmp/a.folded" -- "$WORKLOADS/asks" 30000 600
  expect_equal "$(folded_total . "$tmp/a.folded")" 30000 "calls, with '$options'"
done

# The whole machine, with idle tasks. Both CPUs get work, because a CPU that went offline and came back is not sampled
# while it is idle.
if [[ $cpu != "$other" ]]; then
  pids=()
  for busy in "$cpu" "$other"; do start taskset -c "$busy" "$WORKLOADS/leaves" 600 && pids+=("$started"); done
  begin_counted -I -F 99 --per-cpu --per-thread -o - -o "$tmp/a.json"
  for busy in "${pids[@]}"; do let_work "$busy" 30; done
  kill -INT "$profiler"
  finish
  expect_status 0
  expect_balance
  python3 -c '
import json, sys
part = json.loads(open(sys.argv[1]).readlines()[-1])["ebpf"]["profile"]
sums = {}
for row in part["rows"]:
    sums[row["cpu"]] = sums.get(row["cpu"], 0) + row["value"]
assert len(sums) > 1 and min(sums.values()) > 0, sums' "$tmp/a.json" ||
    fail "the CPUs are not told apart"
fi

# A stream always shows the thread and the CPU, and the options do not multiply its stacks.
burn leaves 600
# streamed [ARGUMENT...] : repeats with longer times until the stream has a line.
streamed() {
  local window
  for window in 0.5 2 8 32; do
    profile -q -F 997 -p "$started" "$@" --stream=stacks "$window"
    expect_status 0
    if [[ -s $tmp/out ]]; then return; fi
  done
}
streamed --per-cpu --per-thread
cp "$tmp/out" "$tmp/apart"
streamed
[[ -s $tmp/out && -s $tmp/apart ]] || fail "the stream is empty"
expect_equal "$(head -n 1 "$tmp/apart" | awk '{ print NF }')" "$(head -n 1 "$tmp/out" | awk '{ print NF }')" "words of a line"
