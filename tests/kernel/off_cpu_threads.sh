#!/bin/bash
# The list of threads is complete and correct. A process that has the id of an ended thread gets its own entry, and a
# thread that exits while a report is made is in this report or in the next.
source "$(dirname "$0")/sampling.bash"
need_event off-cpu
need_command python3

# waits_of TGID:TID FILE : prints its name and the milliseconds it has waited.
waits_of() {
  python3 -c '
import json, sys
thread = json.load(open(sys.argv[2]))["ebpf"]["offcpu"]["thread_stats"].get(sys.argv[1])
print(thread["name"], thread["total_time_ns"] // 10**6) if thread else print("nobody", 0)' "$1" "$2"
}
# expect_whole FILE : the waits of its threads and of its stacks have the same sum. Sets $reports to the number of
# reports.
expect_whole() {
  local in_threads in_stacks
  read -r reports in_threads in_stacks < <(python3 -c '
import json, sys
text = open(sys.argv[1]).read().strip()
decoder, at, reports, threads, stacks = json.JSONDecoder(), 0, 0, 0, 0
while at < len(text):
    report, at = decoder.raw_decode(text, at)
    while at < len(text) and text[at].isspace():
        at += 1
    offcpu = report["ebpf"]["offcpu"]
    reports += 1
    threads += sum(thread["total_time_ns"] for thread in offcpu["thread_stats"].values())
    stacks += sum(row["value"] for row in offcpu["stack_traces"]["rows"])
print(reports, threads // 1000, stacks)' "$1")
  expect_between "$in_threads" $((in_stacks - 10)) $((in_stacks + 10)) "microseconds of all threads in $reports reports"
}
for how in exit exec; do
  echo "$how"
  profile -e off-cpu -o "$tmp/a.json" -- "$WORKLOADS/successor" $how 600
  ((status != 3)) || skip "nobody can choose an id here"
  expect_status 0
  expect_balance
  read -r tgid tid < <(grep '^[0-9]' "$tmp/out")
  # Besides its naps each thread waits for a CPU for an unknown time. A wait that is counted twice, or for another
  # thread, makes the two sums differ.
  expect_whole "$tmp/a.json"
  read -r name waited_ms < <(waits_of "$tgid:$tid" "$tmp/a.json")
  expect_equal "$name" first "name of the thread that is gone"
  ((waited_ms >= 95)) || fail "$waited_ms milliseconds of the thread that is gone"
  read -r name waited_ms < <(waits_of "$tid:$tid" "$tmp/a.json")
  expect_equal "$name" second "name of the process that has its id"
  ((waited_ms >= 290)) || fail "$waited_ms milliseconds of the process that has its id"
done

# Threads come and go all the time: the waits of all threads equal those of all stacks.
profile -e off-cpu -i 0.1 --format json -o "$tmp/reports" -- "$WORKLOADS/crowd" 12000 600
expect_status 0
expect_balance
expect_whole "$tmp/reports"
((reports > 1)) || fail "just $reports reports"
