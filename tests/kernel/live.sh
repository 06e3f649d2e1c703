#!/bin/bash
# The live page follows a workload; the same server's profile, metrics and health agree with it; Ctrl-C with clients under way
# ends at once.
source "$(dirname "$0")/live.bash"
need_command go

burn leaves 600
leaves=$started
begin_live -F 499
[[ $url == http://127.0.0.1:* ]] || fail "it listens on $url"
wait_until is_healthy
ask /
expect_code 200
grep -qF '{"version":1,"live":{"events":"/events"}' "$tmp/answer" || fail "the page has no data: $(head -c 300 "$tmp/answer")"

follow 4
expect_equal "$(sed -n 's/^ticks //p' "$tmp/seen")" 4 "ticks seen"
spent=$(sed -n 's/^ms //p' "$tmp/seen")
# One a second; the first may come late, all may on a busy machine.
((spent > 1500)) || fail "four ticks within $spent ms"
expect_equal "$(sed -n 's/^unit //p' "$tmp/seen")" samples unit
before=$(seen first leaves "$leaves") after=$(seen last leaves "$leaves")
expect_between $((after - ${before:-0})) 50 $((500 * (spent + 2000) / 1000)) "samples of the workload in four ticks at 499 Hertz"

# The sum of where samples ended is what was taken, and both grow.
ask /metrics
expect_code 200
first_taken=$(metric profile_samples_taken_total)
ended=0
for where in recorded idle filtered lost; do ended=$((ended + $(metric "profile_samples_total{ended=\"$where\"}"))); done
expect_equal "$ended" "$first_taken" "samples by where they ended, added up"
expect_equal "$(metric 'profile_samples_total{ended="lost"}')" 0 "lost"
expect_between "$(metric process_resident_memory_bytes)" 1000000 1000000000 "memory"
((first_taken > 0)) || fail "no sample was taken"

# go tool pprof fetches from it as from a Go program.
PPROF_TMPDIR=$tmp HOME=$tmp go tool pprof -timeout 60 -top -nodecount=1000 "${url}debug/pprof/profile?seconds=2" >"$tmp/top" 2>"$tmp/top.err" ||
  fail "go tool pprof: $(cat "$tmp/top.err")"
expect_between "$(awk '$6 == "heavy" { print $1 + 0 }' "$tmp/top" | head -n 1 | tr -d -c 0-9.)" 0.01 5000 "heavy's own in pprof"
ask "/debug/pprof/profile?seconds=1"
expect_code 200
HOME=$tmp go tool pprof -raw "$tmp/answer" >"$tmp/raw" 2>&1 || fail "go tool pprof -raw: $(cat "$tmp/raw")"
grep -q "process:\[leaves\]" "$tmp/raw" || fail "no process label: $(head -n 20 "$tmp/raw")"
# "Duration: 1.01s, Total samples = ...", or "Duration: 998.25ms, ..."
seconds=$(awk '/^Duration: / { sub(",", "", $2); print $2 ~ /ms$/ ? $2 / 1000 : $2 + 0 }' <(HOME=$tmp go tool pprof -top "$tmp/answer" 2>&1))
expect_between "${seconds:-0}" 0.5 3 "seconds in a profile of one second"
ask "/debug/pprof/profile?seconds=abc"
expect_code 400

ask /metrics
taken=$(metric profile_samples_taken_total)
((taken > first_taken)) || fail "taken stays at $taken"

# Ctrl-C while one follows, one waits for a profile, one says nothing and one does not read.
curl -sSN "${url}events" >"$tmp/events" 2>&1 &
background+=($!)
curl -sS -o "$tmp/waited" "${url}debug/pprof/profile?seconds=600" &
waiting=$!
port=${url%/} port=${port##*:}
exec 7<>"/dev/tcp/127.0.0.1/$port" 8<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n' >&8
sleep 3.2
interrupt
expect_status 0
expect_balance
expect_between "$took" 0 $((3000000 * slowness)) "microseconds until it had ended"
wait "$waiting" || fail "who waited for a profile was not answered"
HOME=$tmp go tool pprof -raw "$tmp/waited" 2>&1 | grep -q "process:\[leaves\]" || fail "a profile cut short is none"
grep -qx 'event: end' "$tmp/events" || fail "the end was not told: $(tail -c 300 "$tmp/events")"
exec 7>&- 8>&-

# The page tells threads and CPUs apart; reports beside it do where that was asked for, and count the same either way.
apart_in() {
  {
    HOME=$tmp go tool pprof -raw "$tmp/a.pb.gz" 2>&1 | grep -oE '\b(cpu|tid):\[' | tr -d ':['
    python3 -c '
import json, sys
rows = json.loads(open(sys.argv[1]).readlines()[-1])["ebpf"]["profile"]["rows"]
keys = [tuple(sorted((key, value) for key, value in row.items() if key not in ("value", "samples"))) for row in rows]
print("twice" if len(set(keys)) < len(keys) else "", *({"cpu", "tid"} & {key for row in rows for key in row}))' "$tmp/a.json"
  } | xargs -n 1 | sort -u | xargs
}
for options in '' --per-cpu --per-thread '--per-thread --per-cpu'; do
  # shellcheck disable=SC2086
  sample -T -R 0 -e syscalls:sys_enter_getppid $options -o "$tmp/a.pb.gz" -o "$tmp/a.json" -o "$tmp/a.folded" -- \
    "$WORKLOADS/asks" 30000 30
  expected=
  if [[ $options == *cpu ]]; then expected=cpu; fi
  if [[ $options == *thread* ]]; then expected+=${expected:+ }tid; fi
  expect_equal "$(apart_in)" "$expected" "what rows say besides with '-T $options'"
  expect_equal "$(folded_total . "$tmp/a.folded")" 30000 "calls, with '-T $options'"
done
