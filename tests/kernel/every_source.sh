#!/bin/bash
# Every source takes every filter and every format: what is asked for is there, nothing else is, the account balances, the
# formats agree, and the JSON document is what the schema says.
source "$(dirname "$0")/sampling.bash"
schema=$SOURCE_DIR/man/profile.schema.json
validator=(/usr/bin/python3 "$SOURCE_DIR/tests/validate_json.py" "$schema")
"${validator[@]}" /dev/null >/dev/null 2>&1
(($? == 1)) || skip "python3-jsonschema is not to be had here"
need_cpus

file=$PWD/busybody.$$
at_exit "rm -f $file"
start "$WORKLOADS/busybody" - 60 # not asked for

# The event, and the function of the workload that causes it; no function where the kernel's work is not the caller's.
sources=(
  "cpu-clock compute" "task-clock compute" "page-faults touch" "context-switches rest" "sched:sched_switch rest"
  "syscalls:sys_enter_getppid ask" "uprobe:libc:malloc allocate" "off-cpu rest" "wall compute" "syscalls ask" "malloc allocate"
  "futex await"
)
json_total() {
  /usr/bin/python3 -c '
import json, sys
ebpf = json.loads(open(sys.argv[1]).readlines()[-1])["ebpf"]
rows = (ebpf.get("profile") or ebpf["offcpu"]["stack_traces"])["rows"]
print(sum(row["value"] for row in rows))' "$1"
}

for line in "${sources[@]}"; do
  read -r event function <<<"$line"
  echo "$event"
  start "$WORKLOADS/busybody" "$file" 60
  wanted=$started
  idler=$(tid_of "$wanted" idler)
  rate=()
  if [[ $event =~ clock|wall ]]; then rate=(-F 997); fi
  # Every one of them: what is taken at a rate can stay in step with a process that does the same again and again.
  if [[ $event =~ page-faults|context-switches ]]; then rate=(-c 1); fi
  # -f after all, because the source `syscalls` takes no stacks without a format that shows them.
  sample -e "$event" "${rate[@]}" -p "$wanted" -f -o - -o "$tmp/a.txt" -o "$tmp/a.json" 0.5
  expect_present "^busybody;(.*;)?$function(;| )"
  total=$(folded_total .)
  expect_equal "$(counted_total "$tmp/a.txt")" "$total" "$event: total of the counted rows"
  expect_equal "$(json_total "$tmp/a.json")" "$total" "$event: total of the JSON document"
  "${validator[@]}" "$tmp/a.json" || fail "$event: the JSON document is not valid"

  # A thread: the main one does all, the idler none of it.
  sample -e "$event" "${rate[@]}" -L "$idler" -f 0.2
  expect_absent "[;]$function(;| )"
  sample -e "$event" "${rate[@]}" -L "$wanted" -f 0.3
  expect_present "[;]$function(;| )"
  expect_absent '^idler;'

  # A command, and none of the others.
  sample -e "$event" "${rate[@]}" -o "$tmp/command.folded" -- "$WORKLOADS/busybody" - 0.3
  expect_present "^busybody;(.*;)?$function(;| )" "$tmp/command.folded"

  # A CPU: all is seen on the one where it must run, and nothing on another.
  taskset --all-tasks --pid --cpu-list "$cpu" "$wanted" >/dev/null || fail "taskset"
  sample -e "$event" "${rate[@]}" -C "$cpu" -p "$wanted" -f 0.3
  expect_present "^busybody;(.*;)?$function(;| )"
  if [[ $cpu != "$other" ]]; then
    sample -e "$event" "${rate[@]}" -C "$other" -p "$wanted" -f 0.2
    expect_absent '^busybody;'
  fi

  # The stream.
  sample -e "$event" "${rate[@]}" -p "$wanted" --stream=json 0.3
  expect_equal "$(grep -c '^{' "$tmp/out")" "$recorded" "$event: objects of the stream"
  kill "$wanted"
done

# A cgroup holds just one of the two.
if root=$(findmnt -nt cgroup2 -o TARGET | head -n 1) && [[ -n $root ]] && mkdir "$root/profile-test-$$" 2>/dev/null; then
  # Processes go back before the group can go.
  at_exit "for pid in \$(cat $root/profile-test-$$/cgroup.procs); do echo \$pid >$root/cgroup.procs; done; rmdir $root/profile-test-$$"
  start "$WORKLOADS/busybody" "$file" 30
  wanted=$started
  echo "$wanted" >"$root/profile-test-$$/cgroup.procs"
  for event in off-cpu wall syscalls futex malloc page-faults sched:sched_switch uprobe:libc:malloc; do
    echo "$event in a cgroup"
    sample -e "$event" --cgroup "$root/profile-test-$$" -o "$tmp/cgroup.json" -f -o "$tmp/cgroup.folded" 0.3
    expect_present '^busybody;' "$tmp/cgroup.folded"
    /usr/bin/python3 -c '
import json, sys
ebpf = json.loads(open(sys.argv[1]).readlines()[-1])["ebpf"]
pids = {p["pid"] for p in (ebpf.get("profile") or ebpf["offcpu"]["stack_traces"])["processes"]}
assert pids == {int(sys.argv[2])}, pids' "$tmp/cgroup.json" "$wanted" || fail "$event: others than those of the cgroup"
  done
fi
