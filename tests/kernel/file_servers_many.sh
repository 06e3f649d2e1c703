#!/bin/bash
# A thousand files whose server does not answer delay the run no longer than one. When the server answers, all of them
# get names.
source "$(dirname "$0")/served.bash"
source "$(dirname "$0")/children.bash"
need_user_namespaces

burn leaves 600/3
leaves=$started

# serve_many COUNT [OPTION...] : serves a program that loads so many libraries.
cp "$WORKLOADS/libleaves.so" "$tmp/files/lib.0"
for at in {1..999}; do ln "$tmp/files/lib.0" "$tmp/files/lib.$at"; done
serve_many() {
  serve "${@:2}" -- "$tmp/place" many_files "$tmp/place/lib" "$1"
  wait_until grep -q '^loaded' "$said"
}
# READ twice: files that waited to be opened were once forgotten, in one of four runs.
for operation in OPEN READ READ; do
  echo "$operation of a thousand"
  serve_many 1000 -h "$operation" -o -u 65534
  hang
  beside "$leaves" "$served" -- -F 999
  expect_others_named
  expect_present '^many_files;'
  expect_absent '^many_files;.*;lib_heavy '
  # Any other profiler of the machine may ask for the same files.
  expect_between "$(unanswered "$operation")" 1 16 "files that were asked for"
  stop_serving
done

# Descriptors of files that did not answer are closed some time after their server has ended.
echo "descriptors of ten"
held() { find "/proc/$opener/fd" -lname '*/lib.[0-9]' 2>/dev/null | wc -l; }
holds_some() { (($(held) > 0)); }
holds_none() { (($(held) == 0)); }
serve_many 10 -h READ -o -u 65534
# Before anything is read from them: opening needs no read.
hang
begin -f -F 999 -i 0.5 600
wait_until has_child profile-opener
opener=$(child profile-opener)
wait_until holds_some
wait_until grep -q '^unanswered READ' "$said"
wait_until grep -q '^many_files;' "$tmp/out"
stop_serving
wait_until holds_none
kill -INT "$profiler"
finish
expect_status 0

# Files that were opened and read are closed, first by the parser: ten at the same time.
for options in '' '-o -u 65534'; do
  echo "FLUSH of ten $options"
  # shellcheck disable=SC2086
  serve_many 10 -h FLUSH $options
  hang
  beside "$leaves" "$served" -- -F 999
  expect_others_named
  expect_present '^many_files;'
  stop_serving
done

# The same files, with a server that answers.
serve_many 1000 -l
sample_work "$served" 30 -F 999
expect_present '^many_files;(.*;)?lib_outer;lib_middle;lib_heavy '
expect_share '^many_files;.*;lib_(heavy|light)' 80 100
