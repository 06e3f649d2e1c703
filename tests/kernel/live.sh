#!/bin/bash
# The live page follows a workload; the same server's profile, metrics and health agree with it; Ctrl-C with clients under way
# ends.
source "$(dirname "$0")/live.bash"
need_command go

burn leaves 600/3
leaves=$started
begin_live -F 499
[[ $url == http://127.0.0.1:* ]] || fail "it listens on $url"
wait_until is_healthy
ask /
expect_code 200
grep -qF '{"version":1,"live":{"events":"/events","recording":"/recording"}' "$tmp/answer" || fail "the page has no data: $(head -c 300 "$tmp/answer")"

# sees_more : four ticks have more of the workload than there was; none where it got no CPU in them.
sees_more() {
  follow 4
  expect_equal "$(sed -n 's/^ticks //p' "$tmp/seen")" 4 "ticks seen"
  expect_equal "$(sed -n 's/^unit //p' "$tmp/seen")" samples unit
  before=$(seen first leaves "$leaves") after=$(seen last leaves "$leaves")
  ((${after:-0} > ${before:-0}))
}
wait_until sees_more

# The sum of where samples ended is what was taken, and both grow.
ask /metrics
expect_code 200
first_taken=$(metric profile_samples_taken_total)
ended=0
for where in recorded idle filtered lost; do ended=$((ended + $(metric "profile_samples_total{ended=\"$where\"}"))); done
expect_equal "$ended" "$first_taken" "samples by where they ended, added up"
expect_equal "$(metric 'profile_samples_total{ended="lost"}')" 0 "lost"
expect_between "$(metric process_resident_memory_bytes)" 1000000 1000000000 "memory"
expect_between "$(metric profile_children_resident_memory_bytes)" 1000000 1000000000 "memory of the children"
((first_taken > 0)) || fail "no sample was taken"
((after <= first_taken)) || fail "$after samples of the workload, of $first_taken that were taken"

# go tool pprof fetches from it as from a Go program.
pprof_shows_heavy() {
  PPROF_TMPDIR=$tmp HOME=$tmp go tool pprof -timeout 60 -top -nodecount=1000 "${url}debug/pprof/profile?seconds=1" \
    >"$tmp/top" 2>"$tmp/top.err" || { grep -q 503 "$tmp/top.err" && return 1 || fail "go tool pprof: $(cat "$tmp/top.err")"; }
  awk '$6 == "heavy" && $1 + 0 > 0 { found = 1 } END { exit !found }' "$tmp/top"
}
wait_until pprof_shows_heavy
has_process_label() {
  ask "/debug/pprof/profile?seconds=1"
  # A machine that stands still for ten seconds brings no tick, and the capture ends without a sample.
  if [[ $code == 503 ]]; then return 1; fi
  expect_code 200
  HOME=$tmp go tool pprof -raw "$tmp/answer" >"$tmp/raw" 2>&1 || fail "go tool pprof -raw: $(cat "$tmp/raw")"
  grep -q "process:\[leaves\]" "$tmp/raw"
}
wait_until has_process_label
# "Duration: 1.01s, Total samples = ...", or "Duration: 998.25ms, ..."
seconds=$(awk '/^Duration: / { sub(",", "", $2); print $2 ~ /ms$/ ? $2 / 1000 : $2 + 0 }' <(HOME=$tmp go tool pprof -top "$tmp/answer" 2>&1))
# Longer on a machine that stalls.
expect_between "${seconds:-0}" 0.5 600 "seconds in a profile of one second"
ask "/debug/pprof/profile?seconds=abc"
expect_code 400

ask /metrics
taken=$(metric profile_samples_taken_total)
((taken > first_taken)) || fail "taken stays at $taken"

# Ctrl-C while one follows, one waits for a profile, one says nothing and one does not read.
curl -sSN "${url}events" >"$tmp/events" 2>&1 &
follower=$!
background+=("$follower")
curl -sSv -o "$tmp/waited" "${url}debug/pprof/profile?seconds=600" 2>"$tmp/waited.says" &
waiting=$!
port=${url%/} port=${port##*:}
exec 7<>"/dev/tcp/127.0.0.1/$port" 8<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n' >&8
has_asked() { grep -q '^> GET' "$tmp/waited.says" && kill -0 "$waiting"; }
wait_until has_asked
# Two that follow, and who waits is heard before the next ticks come.
follows_all() { ask /metrics && (($(metric profile_live_clients) >= 2)); }
wait_until follows_all
ticks=$(grep -c '^event: tick' "$tmp/events")
has_ticked() { (($(grep -c '^event: tick' "$tmp/events") >= ticks + 2)); }
wait_until has_ticked
let_work "$leaves" 50
interrupt
expect_status 0
expect_balance
wait "$follower"
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
    "$WORKLOADS/asks" 30000 600
  expected=
  if [[ $options == *cpu ]]; then expected=cpu; fi
  if [[ $options == *thread* ]]; then expected+=${expected:+ }tid; fi
  expect_equal "$(apart_in)" "$expected" "what rows say besides with '-T $options'"
  expect_equal "$(folded_total . "$tmp/a.folded")" 30000 "calls, with '-T $options'"
done
