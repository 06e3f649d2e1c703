#!/bin/bash
# Samples of different rates have different weights: `report` adds them up as time, as `go tool pprof` does. Folded
# lines have no rate, and `report` says so.
source "$(dirname "$0")/sampling.bash"

burn leaves 600
wait_until is_at_work "$started"
sample_enough 20 -F 99 -p "$started" -o - -o "$tmp/slow.pb.gz" 1
slow=$recorded
sample_enough 20 -F 999 -p "$started" -o - -o "$tmp/fast.pb.gz" -o "$tmp/fast.folded" 0.3
fast=$recorded

profile report -f "$tmp/slow.pb.gz" "$tmp/fast.pb.gz"
expect_status 0
expect_silence err
expect_equal "$(folded_total)" $((slow * 10101010 + fast * 1001001)) "nanoseconds of both"
both=$(folded_total)
# A third file, and another order.
profile report -f "$tmp/fast.pb.gz" "$tmp/slow.pb.gz" "$tmp/fast.pb.gz" -o "$tmp/three.pb.gz" -o -
expect_status 0
expect_equal "$(folded_total)" $((both + fast * 1001001)) "nanoseconds of three"
profile report -f "$tmp/three.pb.gz"
expect_equal "$(folded_total)" $((both + fast * 1001001)) "nanoseconds of three read again"
# With a single rate, samples stay samples.
profile report -f "$tmp/fast.pb.gz" "$tmp/fast.pb.gz"
expect_equal "$(folded_total)" $((2 * fast)) "samples at one rate"

profile report -f "$tmp/slow.pb.gz" "$tmp/fast.folded"
expect_status 0
expect_equal "$(folded_total)" $((slow + fast)) "samples of a rate that is not known"
expect_err '^profile: at which rate the samples of .*fast\.folded were taken is not known'
# The order of the files changes neither the lines nor the messages.
sort "$tmp/out" >"$tmp/one.order"
cp "$tmp/err" "$tmp/one.words"
profile report -f "$tmp/fast.folded" "$tmp/slow.pb.gz"
sort "$tmp/out" | cmp - "$tmp/one.order" && cmp "$tmp/err" "$tmp/one.words" || fail "another order says something else; $(outcome)"
# Samples with an unknown weight cannot be added to samples of different rates.
for files in "slow.pb.gz fast.pb.gz fast.folded" "fast.folded slow.pb.gz fast.pb.gz" "slow.pb.gz fast.folded fast.pb.gz"; do
  # shellcheck disable=SC2086
  run env -C "$tmp" "$PROFILE" report -f $files
  expect_status 1
  expect_silence out
  expect_err '^profile: at which rate the samples of fast\.folded were taken is not known, .*cannot be added up$'
done

# The account covers all files, or there is none.
account_of() {
  python3 -c 'import json, sys
account = json.load(open(sys.argv[1])).get("account")
print(account and " ".join(str(account[key]) for key in ("recorded", "balanced")))' "$1"
}
profile report -o "$tmp/both.json" "$tmp/slow.pb.gz" "$tmp/fast.pb.gz"
expect_equal "$(account_of "$tmp/both.json")" "$((slow + fast)) True" "account of both"
profile report -o "$tmp/part.json" "$tmp/slow.pb.gz" "$tmp/fast.folded"
expect_equal "$(account_of "$tmp/part.json")" None "account of one that tells and one that does not"

# Last, so that the other parts are tested even where this one cannot run.
need_command go
run go tool pprof -raw "$tmp/slow.pb.gz" "$tmp/fast.pb.gz"
expect_equal "$(sed -n '/^Samples:/,/^Locations/p' "$tmp/out" | awk '$2 ~ /:$/ { sum += $2 } END { printf "%.0f\n", sum }')" "$both" \
  "nanoseconds by go tool pprof"
