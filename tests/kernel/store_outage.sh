#!/bin/bash
# The store of a busy machine is away for 300 s, and the agent is killed three times meanwhile: afterwards every sample
# that had reached the spool is in the store once.
source "$(dirname "$0")/store.bash"

serve_store
burn leaves 600/2
spooled() { find "$tmp/spool" -name '*.request' 2>/dev/null | sed -nE 's/.*-([0-9]+)\.request$/\1/p' | awk '{ sum += $1 } END { print sum + 0 }'; }
has_stored() { (($(ask "$port" 'SELECT sum(samples) FROM samples') > $1)); }
agent=(-F 19 -i 10 --spool "$tmp/spool" --store "$url")

begin "${agent[@]}"
wait_until has_stored 0
kill -KILL "$server"
for _ in 1 2; do
  sleep 100
  before=$(spooled)
  ((before > 19 * 80)) || fail "only $before samples wait after 100 s"
  kill -KILL "$profiler"
  finish 2>"$tmp/killed"
  begin "${agent[@]}"
done
sleep 100
kill -KILL "$profiler"
finish 2>"$tmp/killed"
waiting=$(spooled)
start_server store
stored=$(ask "$port" 'SELECT sum(samples) FROM samples')
sample "${agent[@]}" 25
expect_equal "$(spooled)" 0 "samples that still wait"
expect_stored "$((stored + waiting + recorded))"
