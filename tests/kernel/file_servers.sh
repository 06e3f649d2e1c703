#!/bin/bash
# A file system that does not answer must not delay the profiler, whatever the request is: the run ends, and other
# programs have their names.
# Promise 6: no file of another user is parsed by the main process, or can stop it.
source "$(dirname "$0")/served.bash"
need_user_namespaces

burn leaves 600/3
leaves=$started

# Two ways to mount it: by root, and by any user, where the file seems to be on an overlay.
for options in '' '-o -u 65534'; do
  for operation in OPEN READ GETATTR LOOKUP FLUSH STATFS; do
    echo "$operation $options"
    # shellcheck disable=SC2086
    serve -h "$operation" $options -- "$tmp/place" served
    hang
    beside "$leaves" "$served" -- -F 499
    expect_others_named
    expect_present '^served;'
    # Checks the test itself: a server that answered everything proves nothing. Another profiler may have read all files
    # before.
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
