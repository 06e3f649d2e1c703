#!/bin/bash
# A file system in user space that does answer gives names like any other: a fast one, a slow one, and one that answers
# late.
source "$(dirname "$0")/served.bash"
need_user_namespaces

# expect_served_named : the program from the served directory has its names in the folded lines.
expect_served_named() {
  expect_present '^served;(.*;)?main;outer;middle;heavy '
  expect_present '^served;(.*;)?main;outer;middle;light '
  expect_share '^served;.*\[unknown\]' 0 20
}

for options in '' -o '-o -u 65534'; do
  echo "fast $options"
  # shellcheck disable=SC2086
  serve -l $options -- "$tmp/place" served
  sample_work "$served" 10 -F 999
  expect_served_named
  stop_serving
done

# A file system that only its own user may see is not read with more rights, but "file gone" is not the reason.
serve -l -u 65534 -- "$tmp/place" served
sample_work "$served" 10 -F 999
expect_no_err 'file gone'
stop_serving

for options in '' '-o -u 65534'; do
  echo "slow $options"
  # shellcheck disable=SC2086
  serve -l -d 50 $options -- "$tmp/place" served
  hang
  sample_work "$served" 30 -F 499
  expect_served_named
  stop_serving
done

# The answer comes during the run.
serve -h OPEN -o -u 65534 -- "$tmp/place" served
hang
begin -f -F 199 -i 0.5 -o "$tmp/part-%02d.folded"
was_asked() { (($(unanswered OPEN) > 0)); }
wait_until was_asked
kill -USR2 "$server"
last_is_named() {
  printf '%s\n' "$tmp"/part-*.folded | tail -n 1 | xargs cat >"$tmp/last" 2>/dev/null
  has_samples_in "$tmp/last" heavy && has_samples_in "$tmp/last" light
}
has_samples_in() { grep -qE "^served;(.*;)?main;outer;middle;$2 " "$1"; }
wait_until last_is_named
kill -INT "$profiler"
finish
expect_status 0
expect_balance
