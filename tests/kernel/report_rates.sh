#!/bin/bash
# Samples that were taken at different rates have not the same weight: `report` adds them up as the time they stand for, as
# `go tool pprof` does. Of folded lines the rate is not known, and that is said.
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
# A third one, and another order.
profile report -f "$tmp/fast.pb.gz" "$tmp/slow.pb.gz" "$tmp/fast.pb.gz" -o "$tmp/three.pb.gz" -o -
expect_status 0
expect_equal "$(folded_total)" $((both + fast * 1001001)) "nanoseconds of three"
profile report -f "$tmp/three.pb.gz"
expect_equal "$(folded_total)" $((both + fast * 1001001)) "nanoseconds of three read again"
# At one rate samples stay samples.
profile report -f "$tmp/fast.pb.gz" "$tmp/fast.pb.gz"
expect_equal "$(folded_total)" $((2 * fast)) "samples at one rate"

profile report -f "$tmp/slow.pb.gz" "$tmp/fast.folded"
expect_status 0
expect_equal "$(folded_total)" $((slow + fast)) "samples of a rate that is not known"
expect_err '^profile: at which rate the samples of .*fast\.folded were taken is not known'
# Whatever the order: the same lines, the same words.
sort "$tmp/out" >"$tmp/one.order"
cp "$tmp/err" "$tmp/one.words"
profile report -f "$tmp/fast.folded" "$tmp/slow.pb.gz"
sort "$tmp/out" | cmp - "$tmp/one.order" && cmp "$tmp/err" "$tmp/one.words" || fail "another order says something else; $(outcome)"
# What is not known to have the same weight has no sum.
for files in "slow.pb.gz fast.pb.gz fast.folded" "fast.folded slow.pb.gz fast.pb.gz" "slow.pb.gz fast.folded fast.pb.gz"; do
  # shellcheck disable=SC2086
  run env -C "$tmp" "$PROFILE" report -f $files
  expect_status 1
  expect_silence out
  expect_err '^profile: at which rate the samples of fast\.folded were taken is not known, .*cannot be added up$'
done

# The account is that of all files, or there is none.
account_of() {
  python3 -c 'import json, sys
account = json.load(open(sys.argv[1])).get("account")
print(account and " ".join(str(account[key]) for key in ("recorded", "balanced")))' "$1"
}
profile report -o "$tmp/both.json" "$tmp/slow.pb.gz" "$tmp/fast.pb.gz"
expect_equal "$(account_of "$tmp/both.json")" "$((slow + fast)) True" "account of both"
profile report -o "$tmp/part.json" "$tmp/slow.pb.gz" "$tmp/fast.folded"
expect_equal "$(account_of "$tmp/part.json")" None "account of one that tells and one that does not"

# Last, so that all else is tested where this cannot be.
need_command go
run go tool pprof -raw "$tmp/slow.pb.gz" "$tmp/fast.pb.gz"
expect_equal "$(sed -n '/^Samples:/,/^Locations/p' "$tmp/out" | awk '$2 ~ /:$/ { sum += $2 } END { printf "%.0f\n", sum }')" "$both" \
  "nanoseconds by go tool pprof"
