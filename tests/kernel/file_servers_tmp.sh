#!/bin/bash
# A program whose /tmp does not answer has no perf map, and delays nothing. A program whose /tmp answers gets names from
# its map.
source "$(dirname "$0")/served.bash"
need_user_namespaces

burn leaves 600/3
leaves=$started

# serve_jit [OPTION...] : serves a program that generates code, whose perf map is under its /tmp.
serve_jit() {
  serve "$@" -- /tmp jit here
  wait_until test -s "$tmp/files/perf-$served.map"
}

# Does not use an overlay of another user: Linux asks the server below it again with the rights of the reader, and root
# outside has none there (ESTALE). Another profiler may also have read it before.
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

# Mounted by root, in a run with reports.
serve_jit -h LOOKUP
hang
beside "$leaves" "$served" -- -F 499 -i 0.2
expect_others_named
stop_serving
