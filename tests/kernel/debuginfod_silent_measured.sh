#!/bin/bash
# A fetcher that does not answer has been taken over by a server: it costs one wait, and not one for each file. Here a
# signal has stopped it.
source "$(dirname "$0")/children.bash"
ldconfig -p | grep -q 'libdebuginfod\.so\.1' || skip "there is no libdebuginfod here"
need_command strip

export DEBUGINFOD_URLS=http://127.0.0.1:1 DEBUGINFOD_CACHE_PATH=$tmp/cache
chmod 755 "$tmp"
pids=$$
for program in leaves many_stacks; do
  cp "$WORKLOADS/$program" "$tmp/$program"
  strip "$tmp/$program"
  start "$tmp/$program" 600
  pids+=,$started
done

began=$SECONDS
begin --debuginfod -F 99 -p "$pids" -o "$tmp/run.folded" 2
wait_until has_child profile-fetch
kill -STOP "$(child profile-fetch)"
finish
expect_status 0
expect_err 'the process that asks debuginfod servers was ended or does not answer; debug files of servers are missing'
expect_between "$((SECONDS - began))" 20 45 "seconds, of which one wait takes 25"
