#!/bin/bash
# While the profiler samples, it has a higher priority than others. Its children, which read what others wrote, and its
# command do not, and a niceness that the user has chosen stays.
source "$(dirname "$0")/children.bash"
need_command nice

# have_nicenesses LIST : checks the profiler's threads, one of which may have just begun.
have_nicenesses() { [[ $(nicenesses_of) == "$1" ]]; }
nicenesses_of() { ps -o ni= -L -p "$profiler" | tr -d ' ' | sort -n | uniq | tr '\n' ' '; }
own=$(nice)
((own == 0)) || skip "tests run with a niceness of $own here"
[[ $(nice -n -10 nice 2>/dev/null) == -10 ]] || skip "root may not lower its niceness here"

chmod 755 "$tmp"
cp "$WORKLOADS/leaves" "$tmp/leaves"
chown 65534 "$tmp/leaves"
start "$tmp/leaves" 600/3
# are_there NAME COUNT : the profiler has at least so many descendants of that name. below_all : prints the pids of all.
below_all() { pgrep -P "$profiler,$(child profile-keeper)"; }
are_there() { (($(below_all | xargs -I{} cat /proc/{}/comm 2>/dev/null | grep -cx "$1") >= $2)); }
pushing=(--push parca+http://127.0.0.1:1)
fetching=()
if ldconfig -p | grep -q 'libdebuginfod\.so\.1'; then fetching=(--debuginfod); fi
export DEBUGINFOD_URLS=http://127.0.0.1:1 DEBUGINFOD_CACHE_PATH=$tmp/cache
begin_counted -F 99 -o - "${pushing[@]}" "${fetching[@]}" 600
wait_until have_nicenesses "-10 "
wait_until are_there profile-parser 2
wait_until are_there profile-push 1
if ((${#fetching[@]})); then wait_until are_there profile-fetch 1; fi
below_all | xargs ps -L -o ni=,comm= -p >"$tmp/nicenesses"
if grep -v '^ *0 ' "$tmp/nicenesses"; then fail "not all children have an ordinary priority"; fi
kill -INT "$profiler"
finish
expect_balance

begin_counted -e uprobe:libc:malloc 600
wait_until are_there profile-prober 1
expect_equal "$(ps -L -o ni= -p "$(child profile-prober)" | tr -d ' ')" 0 "niceness of the child that puts in probes"
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
