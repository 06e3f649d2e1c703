#!/bin/bash
# The verifier's work and the stack of the BPF programs stay well below the kernels' limits, so that a stricter verifier
# does not refuse them. Every program of bpf/ is checked.
source "$(dirname "$0")/sampling.bash"
need_event off-cpu wall futex block-io malloc
burn busybody - 600
wanted=$started

# budget_of ARGUMENT... : checks the programs that this run loads, and records their names.
budget_of() {
  local program instructions bytes
  run "$PROFILE" -v "$@" </dev/null
  expect_status 0
  sed -nE 's/^verifier: ([a-z0-9_]+): ([0-9]+) instructions, ([0-9]+) bytes of stack$/\1 \2 \3/p' "$tmp/err" >"$tmp/programs"
  [[ -s $tmp/programs ]] || fail "$*: no program is told of"
  while read -r program instructions bytes; do
    expect_between "$instructions" 2 500000 "$*: instructions of $program"
    expect_between "$bytes" 32 480 "$*: bytes of stack of $program"
    echo "$program" >>"$tmp/seen"
  done <"$tmp/programs"
}

# Several runs at the same time, because a run spends much of its time in the verifier.
events=(cpu-clock page-faults sched:sched_switch uprobe:libc:malloc off-cpu wall futex block-io syscalls malloc)
in_tables() {
  local event
  for event in "${events[@]}"; do budget_of -e "$event" -f 0.05; done
}
in_streams() {
  local event
  for event in "${events[@]}"; do budget_of -e "$event" --stream=stacks -p "$wanted" 0.05; done
}
with_options() {
  budget_of -e off-cpu -f -- "$WORKLOADS/busybody" - 0.05
  budget_of -e off-cpu -U --state interruptible --min-block-us 5 -f 0.05
  budget_of -e off-cpu --waker -f 0.05
  budget_of -e wall -K --per-thread --per-cpu -C 0 -o "$tmp/a.json" 0.05
  budget_of -e sched:sched_switch -c 7 -f 0.05
  budget_of -e uprobe:libc:malloc -c 7 -f 0.05
  budget_of -e malloc --live -f 0.05
  budget_of -e syscalls --latency -f 0.05
  budget_of -e syscalls --latency --failed --by-process --category file_io 0.05
}
for part in in_tables in_streams with_options; do aside "$part"; done
join_asides
cat "$tmp"/aside.*/seen >"$tmp/seen"

# Each program has its own section.
programs=$(awk '/^SEC\("(tp_btf|raw_tp|tracepoint|perf_event|u(ret)?probe|iter)/ { getline; sub(/^int (BPF_PROG\()?/, ""); sub(/[^a-z0-9_].*/, ""); print }' \
  "$SOURCE_DIR"/bpf/*.bpf.[ch] | sort -u)
(($(wc -w <<<"$programs") >= 20)) || fail "only these programs were found in the sources: $programs"
for program in $programs; do
  # Only since Linux 7; the guests look at their budget.
  if [[ $program == *_event ]]; then continue; fi
  grep -qx "$program" "$tmp/seen" || fail "$program was never loaded"
done
