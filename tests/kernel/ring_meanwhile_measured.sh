#!/bin/bash
# While the profiler waits for the process that reads a file, it goes on to read its ring: a parser that does not answer
# costs other programs no sample.
source "$(dirname "$0")/children.bash"
walks_by_tables || skip "user stacks are not walked by tables here"
need_event SYSTEM:EVENT
need_timeliness

# Each call is a sample that goes through the ring, which has room for half a second of them.
feed() { while "$WORKLOADS/asks" 1500 60; do sleep 0.005; done; }
begin --stream=folded -e raw_syscalls:sys_enter --comm asks -o "$tmp/stream"
start feed
feeder=$started
has_table() { tail -n 2000 "$tmp/stream" 2>/dev/null | grep -qE '_start;.*;main;ask'; }
wait_until has_table
for number in {1..3}; do
  wait_until has_child profile-parser
  parser=$(child profile-parser)
  before=$(wc -l <"$tmp/stream")
  kill -STOP "$parser"
  # Another program, whose table is wanted now. The profiler waits 0.7 s before it gives the parser up.
  mkdir "$tmp/$number"
  cp "$WORKLOADS/frameless" "$tmp/$number/asks"
  start "$tmp/$number/asks" naps 600
  wait_until is_gone "$parser"
  echo "$(($(wc -l <"$tmp/stream") - before)) samples meanwhile"
done
kill "$feeder"
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_equal "$(wc -l <"$tmp/stream")" "$recorded" "samples in the stream"
