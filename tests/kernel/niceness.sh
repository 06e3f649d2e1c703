#!/bin/bash
# While the profiler samples, it has a higher priority than others. Its command does not, and a niceness that the user
# has chosen stays.
source "$(dirname "$0")/sampling.bash"
need_command nice

# have_nicenesses LIST : checks the profiler's threads, one of which may have just begun.
have_nicenesses() { [[ $(nicenesses_of) == "$1" ]]; }
nicenesses_of() { ps -o ni= -L -p "$profiler" | tr -d ' ' | sort -n | uniq | tr '\n' ' '; }
own=$(nice)
((own == 0)) || skip "tests run with a niceness of $own here"
[[ $(nice -n -10 nice 2>/dev/null) == -10 ]] || skip "root may not lower its niceness here"

begin_counted -F 99 600
wait_until have_nicenesses "-10 "
kill -INT "$profiler"
finish
expect_status 0

begin_counted -F 99 -T -R 0 -o - 600
# -10 for the threads that sample, 0 for those that answer clients.
wait_until have_nicenesses "-10 0 "
kill -INT "$profiler"
finish

profile -q -F 99 -o "$tmp/a.folded" -- nice
expect_equal "$(cat "$tmp/out")" 0 "niceness of the command"

run nice -n 5 "$PROFILE" -q -F 99 -o "$tmp/a.folded" -- nice
expect_equal "$(cat "$tmp/out")" 5 "niceness of a command when one was chosen"
ahead=(nice -n 5)
begin_counted -F 99 600
wait_until have_nicenesses "5 "
kill -INT "$profiler"
finish
