#!/bin/bash
# A file system that gives no answer holds nothing up, whatever it is asked: the run ends, and what others run is named.
source "$(dirname "$0")/served.bash"
need_user_namespaces

burn leaves 600/3
leaves=$started

# Both ways: mounted by root, and as any user can do it, where the file seems to be on an overlay.
for options in '' '-o -u 65534'; do
  for operation in OPEN READ GETATTR LOOKUP FLUSH STATFS; do
    echo "$operation $options"
    # shellcheck disable=SC2086
    serve -h "$operation" $options -- "$tmp/place" served
    hang
    beside "$leaves" "$served" -- -F 499
    expect_others_named
    expect_present '^served;'
    # The test of the test: a server that has answered everything proves nothing. Another profiler may have read it all before.
    if (($(unanswered) == 0)); then
      [[ $operation == @(READ|LOOKUP|GETATTR|STATFS|FLUSH) ]] || fail "nobody asked for $operation"
      expect_present '^served;(.*;)?main;outer;middle;heavy '
    elif [[ $operation == @(OPEN|READ) ]]; then
      expect_absent '^served;.*;heavy '
      expect_err "$no_answer"
    fi
    stop_serving
  done
done
