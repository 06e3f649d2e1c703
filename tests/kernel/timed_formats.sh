#!/bin/bash
# A recording in the formats that have times: each sample of the database is in its lane at its time, and each wait
# lasts from its begin to its end. A run writes the same without a recording.
source "$(dirname "$0")/sampling.bash"
need_command sqlite3 python3

ask() { sqlite3 -separator ' ' "$tmp/run.db" "$1"; }
# The lines of a Firefox file: "sample MICROSECONDS PID TID FRAME;...", "span BEGIN END PID TID EVENT NAME" and "moment
# MICROSECONDS PID TID EVENT NAME"; "lane ..." for each thread.
firefox_lines() {
  python3 - "$1" <<'PY'
import gzip, json, sys
name = sys.argv[1]
with (gzip.open if name.endswith(".gz") else open)(name) as file:
    of = json.load(file)
assert of["meta"]["preprocessedProfileVersion"] == 66
shared = of["shared"]
texts = shared["stringArray"]
def stack(at):
    frames = []
    while at is not None:
        frames.append(texts[shared["funcTable"]["name"][shared["frameTable"]["func"][shared["stackTable"]["frame"][at]]]])
        offset = shared["stackTable"]["prefixOffset"][at]
        at = at - offset if offset else None
    return ";".join(reversed(frames))
us = lambda ms: round(ms * 1000)
for thread in of["threads"]:
    ids = thread["pid"].split(".")[0], thread["tid"]
    print("lane", *ids, thread["processName"], thread["name"])
    samples = thread["samples"]
    assert sorted(samples["time"]) == samples["time"]
    for time, at, weight in zip(samples["time"], samples["stack"], samples["weight"]):
        print("sample", us(time), *ids, weight, stack(at))
    markers = thread["markers"]
    assert sorted(markers["startTime"]) == markers["startTime"]
    for begin, end, name, data in zip(*(markers[column] for column in ("startTime", "endTime", "name", "data"))):
        words = *ids, data["event"], texts[name]
        print(*(("moment", us(begin)) if end is None else ("span", us(begin), us(end))), *words)
PY
}
# trace_lines FILE : the lines of pftrace.py about samples and slices, in microseconds since the run of $tmp/run.db began.
trace_lines() {
  python3 "$SOURCE_DIR/tests/tools/pftrace.py" "$1" >"$tmp/perfetto" || fail "pftrace.py: $(cat "$tmp/perfetto")"
  awk -v began="$(ask 'SELECT began_unix_ns FROM runs')" '
    function us(time) { return int(substr(time, length(time) - 17) / 1000 - substr(began, length(began) - 17) / 1000 + 0.5) }
    $1 == "sample" { $2 = us($2); print }
    $1 == "slice" { $2 = us($2); $3 = us($3); print }' "$tmp/perfetto"
}
# expect_same WHAT : $tmp/expected and $tmp/found have the same lines.
expect_same() {
  [[ -s $tmp/expected ]] || fail "$1: nothing is expected"
  diff <(LC_ALL=C sort "$tmp/expected") <(LC_ALL=C sort "$tmp/found") >"$tmp/diff" || fail "$1: $(head -n 4 "$tmp/diff")"
}

# Two programs, one after the other.
"$PROFILE" record -q -F 499 -o "$tmp/run.db" -- bash -c '"$0" 0.2cpu; sleep 0.1; exec "$1" 0.2cpu' "$WORKLOADS/leaves" "$WORKLOADS/depth" || fail "record"
files=("$tmp"/run.{firefox.json.gz,pftrace,perf,speedscope.json,html})
profile report "${files[@]/#/-o}" "$tmp/run.db"
expect_status 0
expect_equal "$(stat -c %a "${files[@]}" | uniq)" 600 'the modes of files with times'
ask "SELECT 'sample', samples.id / 256, tgid, tid FROM samples JOIN threads ON threads.id = thread JOIN processes ON processes.id = process" >"$tmp/expected"
firefox_lines "$tmp/run.firefox.json.gz" >"$tmp/firefox"
grep '^sample' "$tmp/firefox" | cut -d ' ' -f 1-4 >"$tmp/found"
expect_same 'samples in the firefox file'
trace_lines "$tmp/run.pftrace" | cut -d ' ' -f 1-4 >"$tmp/found"
expect_same 'samples in the perfetto trace'
grep -cE '^[^#	].* [0-9]+/[0-9]+ \[[0-9]+\] ' "$tmp/run.perf" >"$tmp/count"
expect_equal "$(<"$tmp/count")" "$(wc -l <"$tmp/expected")" 'events of perf script'
# The folded lines of the whole are those of the stacks.
profile report -q -f "$tmp/run.db"
expect_equal "$(grep -c 'main;outer;middle;heavy' "$tmp/firefox")" "$(folded_total '^leaves;.*main;outer;middle;heavy' "$tmp/out")" 'samples in a function'
expect_equal "$(grep -c '^sample.*main;outer;middle;heavy' "$tmp/perfetto")" "$(grep -c 'main;outer;middle;heavy' "$tmp/firefox")" 'the same in the trace'
grep -Eq '^lane [0-9]+ [0-9]+ leaves leaves$' "$tmp/firefox" || fail "no lane of leaves"
grep -Eq '^lane [0-9]+ [0-9]+ depth depth$' "$tmp/firefox" || fail "no lane of depth"
# A part of it, and what is in focus.
middle=$(ask "SELECT (max(seconds) + (SELECT min(seconds) FROM sample_list WHERE process = 'depth')) / 2 FROM sample_list WHERE process = 'leaves'")
profile report -q --from "$middle" -o "$tmp/part.firefox.json" "$tmp/run.db"
expect_status 0
firefox_lines "$tmp/part.firefox.json" >"$tmp/part"
if grep -q heavy "$tmp/part"; then fail "the part has what ran before it"; fi
grep -q '^lane .* depth' "$tmp/part" || fail "the part has not what ran in it"
profile report -q --focus '^heavy$' -o "$tmp/focus.pftrace" "$tmp/run.db"
expect_status 0
python3 "$SOURCE_DIR/tests/tools/pftrace.py" "$tmp/focus.pftrace" >"$tmp/part"
expect_equal "$(grep -c '^sample' "$tmp/part")" "$(grep -c '^sample.*heavy' "$tmp/perfetto")" 'samples in focus'

# Waits are spans.
if has_event off-cpu; then
  "$PROFILE" record -q -e off-cpu -o "$tmp/run.db" -- bash -c 'for i in 1 2 3; do sleep 0.05; done; :' || fail "record -e off-cpu"
  profile report -q -o "$tmp/run.firefox.json" -o "$tmp/run.pftrace" "$tmp/run.db"
  expect_status 0
  ask "SELECT 'span', max(samples.id / 256 - value, 0), samples.id / 256, tgid, tid FROM samples JOIN threads ON threads.id = thread JOIN processes ON processes.id = process" >"$tmp/expected"
  firefox_lines "$tmp/run.firefox.json" >"$tmp/firefox"
  grep '^span' "$tmp/firefox" | cut -d ' ' -f 1-5 >"$tmp/found"
  expect_same 'waits in the firefox file'
  python3 "$SOURCE_DIR/tests/tools/pftrace.py" "$tmp/run.pftrace" >"$tmp/perfetto" || fail "pftrace.py: $(cat "$tmp/perfetto")"
  expect_equal "$(grep -c '^slice' "$tmp/perfetto")" "$(wc -l <"$tmp/expected")" 'waits in the trace'
  grep -Eq '^slice .* off-cpu .*nanosleep' "$tmp/perfetto" || fail "no wait of sleep"
fi

# Several events are in one file: samples, and what lasts as spans, each in its lane at its time.
if has_event off-cpu && has_event syscalls; then
  for latency in '' --latency; do
    "$PROFILE" record -q -F 499 -e cpu-clock -e off-cpu -e syscalls $latency -o "$tmp/run.db" -- bash -c 'for i in 1 2 3; do "$0" 0.1cpu; sleep 0.05; done' "$WORKLOADS/leaves" || fail "record of three events"
    profile report -q -o "$tmp/run.firefox.json" -o "$tmp/run.pftrace" -o "$tmp/run.perf" -o "$tmp/run.speedscope.json" "$tmp/run.db"
    expect_status 0
    of_sample="FROM samples JOIN events ON events.id = event JOIN threads ON threads.id = thread JOIN processes ON processes.id = process"
    {
      ask "SELECT 'sample', samples.id / 256, tgid, tid, events.name $of_sample WHERE unit <> 'microseconds'"
      ask "SELECT 'span', max(samples.id / 256 - value, 0), samples.id / 256, tgid, tid, events.name $of_sample WHERE unit = 'microseconds'"
    } >"$tmp/expected"
    for event in cpu-clock off-cpu syscalls; do grep -q " $event$" "$tmp/expected" || fail "nothing of $event was recorded"; done
    firefox_lines "$tmp/run.firefox.json" | awk '
      $1 == "sample" { print $1, $2, $3, $4, "cpu-clock" }
      $1 == "moment" { print "sample", $2, $3, $4, $5 }
      $1 == "span" { print $1, $2, $3, $4, $5, $6 }' >"$tmp/found"
    expect_same "three events $latency in the firefox file"
    trace_lines "$tmp/run.pftrace" | awk '
      $1 == "sample" { print $1, $2, $3, $4, $5 }
      $1 == "slice" { print "span", $2, $3, $4, $5, $6 }' >"$tmp/found"
    expect_same "three events $latency in the trace"
    sed -nE 's/^[^#	].* [0-9]+\/[0-9]+ \[[0-9]+\] ([0-9.]+): +[0-9]+ ([^ ]+):$/\1 \2/p' "$tmp/run.perf" >"$tmp/perf"
    sort -c -s -n -k 1,1 "$tmp/perf" || fail "events of perf script are not in the order of time"
    for event in cpu-clock off-cpu syscalls; do
      expect_equal "$(grep -c " $event$" "$tmp/perf")" "$(ask "SELECT count(*) FROM samples JOIN events ON events.id = event WHERE events.name = '$event'")" "$event $latency in perf script"
      expect_equal "$(grep -oE "\"name\":\"[^\"]*\), ${event}[,\"]" "$tmp/run.speedscope.json" | wc -l)" "$(ask "SELECT count(DISTINCT tgid || ' ' || image || ' ' || tid) $of_sample WHERE events.name = '$event'")" "threads of $event $latency for speedscope"
    done
  done
  # One of them alone, and formats that hold one.
  profile report -q -e off-cpu -o "$tmp/one.firefox.json" "$tmp/run.db"
  expect_status 0
  firefox_lines "$tmp/one.firefox.json" >"$tmp/firefox"
  expect_equal "$(grep -c '^span' "$tmp/firefox")" "$(ask "SELECT count(*) FROM samples JOIN events ON events.id = event WHERE events.name = 'off-cpu'")" 'waits alone'
  if grep -E '^span.* (cpu-clock|syscalls) ' "$tmp/firefox"; then fail "another event than asked for"; fi
  profile report -f "$tmp/run.db"
  expect_err 'run.db: this is its cpu-clock; its other events: -e off-cpu, -e syscalls$'
fi

# A run writes them without a recording.
profile -F 499 -o "$tmp/live.pftrace" -o "$tmp/live.firefox.json" -o "$tmp/live.folded" -- "$WORKLOADS/leaves" 0.3cpu
expect_status 0
expect_balance
python3 "$SOURCE_DIR/tests/tools/pftrace.py" "$tmp/live.pftrace" >"$tmp/perfetto" || fail "pftrace.py: $(cat "$tmp/perfetto")"
firefox_lines "$tmp/live.firefox.json" >"$tmp/firefox"
expect_equal "$(grep -c '^sample' "$tmp/perfetto")" "$recorded" 'samples of a run in the trace'
expect_equal "$(grep -c '^sample' "$tmp/firefox")" "$recorded" 'samples of a run in the firefox file'
expect_equal "$(grep -c '^sample.*;heavy$' "$tmp/perfetto")" "$(folded_total ';heavy [0-9]+$' "$tmp/live.folded")" 'samples in a function'
expect_present_in() { grep -q "$1" "$tmp/err" || fail "no '$1' in the answer"; }
expect_present_in "wrote $tmp/live.pftrace"

# What has no times, and what makes no sense.
profile report -q -o "$tmp/x.pftrace" "$tmp/live.folded"
expect_status 1
grep -q 'the format perfetto needs the time of each sample' "$tmp/err" || fail "no reason: $(<"$tmp/err")"
[[ ! -e $tmp/x.pftrace ]] || fail "a file was made"
profile -q --merge-processes -o "$tmp/x.pftrace" 0.1
expect_status 2
