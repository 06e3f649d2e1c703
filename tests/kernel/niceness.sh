#!/bin/bash
# While it samples the profiler goes before others, its command does not, and whoever has chosen a niceness keeps it.
source "$(dirname "$0")/sampling.bash"
need_command nice

nicenesses_of() { ps -o ni= -L -p "$profiler" | tr -d ' ' | sort -n | uniq | tr '\n' ' '; }
own=$(nice)
((own == 0)) || skip "tests run with a niceness of $own here"
[[ $(nice -n -10 nice 2>/dev/null) == -10 ]] || skip "root may not lower its niceness here"

begin_counted -F 99 30
expect_equal "$(nicenesses_of)" "-10 " "nicenesses"
kill -INT "$profiler"
finish
expect_status 0

begin_counted -F 99 -T -R 0 -o - 30
expect_equal "$(nicenesses_of)" "-10 0 " "nicenesses of those that sample and that answer"
kill -INT "$profiler"
finish

profile -q -F 99 -o "$tmp/a.folded" -- nice
expect_equal "$(cat "$tmp/out")" 0 "niceness of the command"

run nice -n 5 "$PROFILE" -q -F 99 -o "$tmp/a.folded" -- nice
expect_equal "$(cat "$tmp/out")" 5 "niceness of a command when one was chosen"
nice -n 5 "$PROFILE" -F 99 30 >"$tmp/out" 2>"$tmp/err" </dev/null &
profiler=$!
background+=("$profiler")
wait_until has_begun
expect_equal "$(nicenesses_of)" "5 " "nicenesses when one was chosen"
kill -INT "$profiler"
finish
