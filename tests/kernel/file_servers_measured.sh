#!/bin/bash
# How soon a run ends beside file systems that do not answer: at most two seconds late, or up to six more on a busy
# machine. kernel/file_servers checks that it ends at all.
source "$(dirname "$0")/served.bash"
need_user_namespaces

burn leaves 600/3
leaves=$started
patience=$(awk -v cpus="$(nproc)" '{ busy = $1 / cpus; printf "%d", 2 + (busy < 6 ? busy : 6) }' /proc/loadavg)
for options in '' '-o -u 65534'; do
  for operation in OPEN READ FLUSH; do
    echo "$operation $options"
    # shellcheck disable=SC2086
    serve -h "$operation" $options -- "$tmp/place" served
    hang
    in_time 0.4 -f -F 499 0.4
    stop_serving
  done
done
in_crowd 8 1

cp "$WORKLOADS/libleaves.so" "$tmp/files/lib.0"
for at in {1..999}; do ln "$tmp/files/lib.0" "$tmp/files/lib.$at"; done
for operation in OPEN READ; do
  echo "$operation of a thousand"
  serve -h "$operation" -o -u 65534 -- "$tmp/place" many_files "$tmp/place/lib" 1000
  wait_until grep -q '^loaded' "$said"
  hang
  in_time 1 -f -F 999 1
  stop_serving
done
