#!/bin/bash
# A program whose /tmp gives no answer has no perf map, and holds nothing up; one whose /tmp answers is named by its map.
source "$(dirname "$0")/served.bash"
need_user_namespaces

burn leaves 600/3
leaves=$started

# serve_jit [OPTION...] : a program with code of its own making, whose map is under its /tmp.
serve_jit() {
  serve "$@" -- /tmp jit here
  wait_until test -s "$tmp/files/perf-$served.map"
}

# No overlay of a user's own: Linux asks the server below it a second time with the rights of who looks, which root of outside
# has not there (ESTALE), and any other profiler of the machine may have looked first.
for options in '-l' '-l -o'; do
  echo "answers $options"
  # shellcheck disable=SC2086
  serve_jit $options
  sample_work "$served" 10 -F 499
  expect_share ';run_made;made_loop ' 60 100
  stop_serving
done

for operation in LOOKUP OPEN READ GETATTR FLUSH; do
  echo "$operation"
  serve_jit -h "$operation" -o -u 65534
  hang
  beside "$leaves" "$served" -- -F 499
  expect_others_named
  expect_present '^jit;'
  stop_serving
done

# Mounted by root, and a run with reports.
serve_jit -h LOOKUP
hang
beside "$leaves" "$served" -- -F 499 -i 0.2
expect_others_named
stop_serving
