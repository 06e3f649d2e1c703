#!/bin/bash
# Every source works with every filter and every format: the report has what was requested and nothing else, the account
# balances, the formats agree, and the JSON document matches the schema.
source "$(dirname "$0")/sampling.bash"
schema=$SOURCE_DIR/man/profile.schema.json
validator=(/usr/bin/python3 "$SOURCE_DIR/tests/tools/validate_json.py" "$schema")
"${validator[@]}" /dev/null >/dev/null 2>&1
(($? == 1)) || skip "python3-jsonschema is not to be had here"
need_cpus
# busybody does a little of everything at every moment, so it needs precedence over other programs.
find_precedence

find_disk
start "$WORKLOADS/busybody" - 600 # not asked for

# function_of EVENT : prints the function of the workload that causes the event; nothing when chance or the kernel's own
# work causes it.
function_of() {
  case $1 in
    *-clock | wall | cycles | instructions | ref-cycles) echo compute ;;
    page-faults | minor-faults) echo touch ;;
    context-switches | sched:sched_switch | off-cpu) echo rest ;;
    syscalls*) echo ask ;;
    uprobe:libc:malloc | malloc) echo allocate ;;
    futex) echo await ;;
    block-io) if [[ -b $disk ]]; then echo store; fi ;;
    major-faults | cpu-migrations | cgroup-switches | *-faults | *-cycles-* | bus-cycles | cache-* | branch* | L1-*) ;;
    *) return 1 ;;
  esac
}
# sample_caused PATTERN [ARGUMENT...] : repeats until the pattern is there, if the workload causes the event.
sample_caused() {
  local window
  for window in 0.3 1 4 16 60; do
    sample "${@:2}" "$window"
    if [[ ! $function ]] || is_seen "$1"; then return; fi
  done
  fail "no sample with '$1'; $(outcome)"
}

json_total() {
  /usr/bin/python3 -c '
import json, sys
ebpf = json.loads(open(sys.argv[1]).readlines()[-1])["ebpf"]
part = ebpf.get("profile") or ebpf.get("offcpu", {}).get("stack_traces") or {"rows": []} # none where nothing came
print(sum(row["value"] for row in part["rows"]))' "$1"
}

of_a_process() {
  # -f although stdout is counted: without a format that shows stacks, the source `syscalls` takes none.
  sample_caused "^busybody;(.*;)?$function(;| )" -e "$event" "${rate[@]}" -p "$wanted" -f -o - -o "$tmp/a.txt" -o "$tmp/a.json"
  local total
  total=$(folded_total .)
  expect_equal "$(counted_total "$tmp/a.txt")" "$total" "$event: total of the counted rows"
  expect_equal "$(json_total "$tmp/a.json")" "$total" "$event: total of the JSON document"
  cat "$tmp/a.json" >>"$documents"
}
# The main thread does all the work, the idler none of it.
of_the_idler() {
  sample -e "$event" "${rate[@]}" -L "$(tid_of "$wanted" idler)" -f 0.2
  expect_absent "[;](compute|touch|rest|ask|allocate|await|store)(;| )"
}
of_the_main_thread() {
  sample_caused "[;]$function(;| )" -e "$event" "${rate[@]}" -L "$wanted" -f
  expect_absent '^idler;'
}
# No sample of other programs, and only threads with the given name. 100 turns of the command are enough for every
# source.
of_a_command() {
  sample -e "$event" "${rate[@]}" --comm 'busybod*' -o "$tmp/command.folded" -- "${precedence[@]}" "$WORKLOADS/busybody" "$place" 100 600
  if [[ $function ]]; then expect_present "^busybody;(.*;)?$function(;| )" "$tmp/command.folded"; fi
  expect_equal "$(folded_total . "$tmp/command.folded")" "$(folded_total '^busybody;' "$tmp/command.folded")" "$event: of that name"
}
streamed() {
  sample -e "$event" "${rate[@]}" -p "$wanted" --stream=json 0.3
  expect_equal "$(grep -c '^{' "$tmp/out")" "$recorded" "$event: objects of the stream"
}
# The program must run on $cpu: all its samples are there, and none on another CPU.
of_its_cpu() {
  sample_caused "^busybody;(.*;)?$function(;| )" -e "$event" "${rate[@]}" -C "$cpu" -p "$wanted" -f
}
of_another_cpu() {
  sample -e "$event" "${rate[@]}" -C "$other" -p "$wanted" -f 0.2
  expect_absent '^busybody;'
}

documents=$tmp/all.json
mapfile -t events < <(events_here)
((${#events[@]} >= 8)) || fail "--list-events names only ${events[*]}"
# of_event EVENT : all of the checks above.
of_event() {
  event=$1 asides=()
  function=$(function_of "$event") || fail "which function of the workload causes $event?"
  # No other program waits for the disk, because a disk has no precedence.
  place=-
  if [[ $event == block-io ]]; then place=$disk; fi
  start "${precedence[@]}" "$WORKLOADS/busybody" "$place" 600
  wanted=$started
  rate=()
  if [[ $event =~ clock|wall ]]; then rate=(-F 997); fi
  # Takes every event: a fixed rate can stay in step with a program that repeats itself.
  if [[ $event =~ -(faults|switches|migrations)$ ]]; then rate=(-c 1); fi
  aside of_a_process
  # Sources that the workload does not cause use the same code as page-faults and cpu-clock, so one check is enough.
  if [[ ! $function && $event != block-io ]]; then
    join_asides
    kill "$wanted"
    return
  fi
  for look in of_the_idler of_the_main_thread of_a_command streamed; do aside "$look"; done
  join_asides
  taskset --all-tasks --pid --cpu-list "$cpu" "$wanted" >/dev/null || fail "taskset"
  aside of_its_cpu
  if [[ $cpu != "$other" ]]; then aside of_another_cpu; fi
  join_asides
  kill "$wanted"
}
# Two at a time, because each spends most of its time waiting.
begun=0
for event in "${events[@]}"; do
  echo "$event"
  aside of_event "$event"
  if ((++begun % 2 == 0)); then join_asides; fi
done
join_asides

"${validator[@]}" "$documents" || fail "a JSON document, counted as the events above, is not valid"

# A cgroup contains only one of the two processes.
if root=$(findmnt -nt cgroup2 -o TARGET | head -n 1) && [[ -n $root ]] && mkdir "$root/profile-test-$$" 2>/dev/null; then
  # The group can be removed only after its processes have left it.
  at_exit "for pid in \$(cat $root/profile-test-$$/cgroup.procs); do echo \$pid >$root/cgroup.procs; done; rmdir $root/profile-test-$$"
  start "${precedence[@]}" "$WORKLOADS/busybody" - 600
  wanted=$started
  echo "$wanted" >"$root/profile-test-$$/cgroup.procs"
  function=any
  of_the_group() {
    sample_caused '^busybody;' -e "$event" --cgroup "$root/profile-test-$$" -o "$tmp/cgroup.json" -f -o -
    /usr/bin/python3 -c '
import json, sys
ebpf = json.loads(open(sys.argv[1]).readlines()[-1])["ebpf"]
pids = {p["pid"] for p in (ebpf.get("profile") or ebpf["offcpu"]["stack_traces"])["processes"]}
assert pids == {int(sys.argv[2])}, pids' "$tmp/cgroup.json" "$wanted" || fail "$event: others than those of the cgroup"
  }
  for event in off-cpu wall syscalls futex malloc page-faults sched:sched_switch uprobe:libc:malloc; do
    echo "$event in a cgroup"
    if has_event "$event"; then aside of_the_group; fi
  done
  join_asides
fi
