#!/bin/bash
# A recording has each sample of the run, with its time: a report of it is that of the run, and a part of it is that
# part.
source "$(dirname "$0")/sampling.bash"
need_command sqlite3

ask() { sqlite3 "$tmp/run.db" "$1"; }
# same_as_run EVENT [OPTION...] : the folded lines of the recording are those of the run.
same_as_run() {
  need_event "$1"
  sample -e "$1" "${@:2}" -f -o "$tmp/run.db" -o "$tmp/run.folded" -- bash -c 'for i in 1 2 3; do "$0" 0.1; sleep 0.1; done' "$WORKLOADS/leaves"
  profile report -q -f "$tmp/run.db"
  expect_status 0
  diff <(LC_ALL=C sort "$tmp/run.folded") <(LC_ALL=C sort "$tmp/out") >"$tmp/diff" || fail "$1: $(head -n 4 "$tmp/diff")"
  expect_equal "$(ask 'SELECT sum(taken) - sum(recorded) - sum(idle) - sum(filtered) - sum(lost_ring_full + lost_spans_full + lost_unwritten + lost_unread) FROM account')" 0 "$1: what became of no sample"
  expect_equal "$(ask 'SELECT count(*) FROM samples JOIN events ON event = events.id WHERE NOT is_part')" "$recorded" "$1: samples in the file"
}
same_as_run cpu-clock -F 499 --lines
same_as_run off-cpu
same_as_run syscalls
expect_equal "$(ask 'PRAGMA integrity_check')" ok "the file"
expect_equal "$(ls "$tmp"/run.db*)" "$tmp/run.db" "files that are left"
expect_equal "$(stat -c %a "$tmp/run.db")" 600 "the mode of the file"

# A program that computes in one half of each second: the report of a part has what ran in that part.
"$PROFILE" record -q -F 199 -o "$tmp/run.db" -- bash -c '"$0" 0.4cpu; sleep 1.2; exec "$1" 0.4cpu' "$WORKLOADS/leaves" "$WORKLOADS/depth" || fail "record"
begin() { ask "SELECT min(seconds) FROM sample_list WHERE process = '$1'"; }
end() { ask "SELECT max(seconds) FROM sample_list WHERE process = '$1'"; }
middle=$(ask "SELECT ($(end leaves) + $(begin depth)) / 2")
profile report -q -f --to "$middle" "$tmp/run.db"
expect_absent '^depth;'
expect_present '^leaves;'
leaves=$(folded_total '^leaves;' "$tmp/out")
profile report -q -f --from "$middle" "$tmp/run.db"
expect_absent '^leaves;'
expect_equal "$((leaves + $(folded_total '^depth;' "$tmp/out")))" "$(ask "SELECT count(*) FROM sample_list WHERE thread IN ('leaves', 'depth')")" "samples of both parts"
# The clock of the machine, and the process.
clock=$(date -d "@$(ask "SELECT began_unix_ns / 1e9 + $middle FROM runs")" +%H:%M:%S.%N)
profile report -q -f --from "$clock" "$tmp/run.db"
expect_absent '^leaves;'
expect_present '^depth;'
profile report -q -f -p "$(ask "SELECT tgid FROM processes WHERE name = 'leaves'")" --cgroup / "$tmp/run.db"
expect_equal "$(folded_total '^leaves;' "$tmp/out")" "$leaves" "samples of one process"
# A process that ended in the run has both times.
expect_equal "$(ask "SELECT count(*) FROM processes WHERE name = 'leaves' AND ended_unix_ns - began_unix_ns BETWEEN 4e8 AND 6e10")" 1 "the times of a process"
# The page of a part has each of its samples with its time.
profile report -q --from "$middle" -o "$tmp/part.html" "$tmp/run.db"
expect_status 0
expect_equal "$(grep -o '"samples":[0-9]*}' "$tmp/part.html")" "\"samples\":$(ask "SELECT count(*) FROM sample_list WHERE seconds >= $middle")}" "samples on the page"


# Several events in one recording, each told apart, also in files beside it.
need_event off-cpu
need_event syscalls
sample_events() { profile record -F 499 -e cpu-clock -e off-cpu -e syscalls -o "$tmp/run.db" -o "$tmp/run.folded" -- bash -c 'for i in 1 2 3; do "$0" 0.1; sleep 0.1; done' "$WORKLOADS/leaves"; }
sample_events
expect_status 0
for event in cpu-clock off-cpu syscalls; do
  expect_err "^$event: [0-9]+ samples in "
  report_of() { "$PROFILE" report -q -f -e "$event" "$tmp/run.db" | LC_ALL=C sort; }
  diff <(LC_ALL=C sort "$tmp/run.$event.folded") <(report_of) >"$tmp/diff" || fail "$event: $(head -n 4 "$tmp/diff")"
  expect_equal "$(ask "SELECT sum(recorded) FROM account JOIN events ON event = events.id WHERE name = '$event'")" \
    "$(ask "SELECT count(*) FROM samples JOIN events ON event = events.id WHERE NOT is_part AND name = '$event'")" "$event: samples"
done
expect_equal "$(ask 'SELECT count(*) FROM events WHERE NOT is_part')" 3 "events"
profile report -q -e futex "$tmp/run.db"
expect_status 1
expect_err 'has samples of cpu-clock, off-cpu, syscalls, not of futex'
