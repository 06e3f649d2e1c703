#!/bin/bash
# The options of --config: what the file says, what comes before it, and one clear line for what is wrong in it.
source "$(dirname "$0")/../lib.sh"

# checked LINE... : the options are these lines and those of $words.
words=()
checked() {
  printf '%s\n' "$@" >"$tmp/conf"
  profile --config "$tmp/conf" --check "${words[@]}"
}
right() {
  checked "$@"
  expect_status 0
  expect_err "^profile: the options, and those in $tmp/conf are right$"
}
# wrong MESSAGE LINE...
wrong() {
  checked "${@:2}"
  expect_status 2
  expect_err "$1"
  expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
}

right '# a comment' '' 'frequency = 19' 'folded=on' 'event=off-cpu' 'output=a.folded' 'comm=make' 'comm=cc1'
profile --check -F 19
expect_status 0
expect_err '^profile: the options are right$'

wrong "^profile: --config $tmp/conf: no option is called frequenzy; the nearest: --frequency" 'frequenzy=19'
wrong "^profile: --config $tmp/conf: 'folded' is not of the form NAME=VALUE; a switch is NAME=on$" 'folded'
wrong '^profile: -F often: not a whole number$' 'frequency=often'
wrong "^profile: --config $tmp/conf: help has no meaning in a file$" 'help=on'
wrong "^profile: --config $tmp/conf: config has no meaning in a file$" "config=$tmp/conf"
wrong "^profile: --config $tmp/conf: .*quiet" 'quiet=perhaps'
wrong "^profile: --config $tmp/conf: .*frequency.*more than once" 'frequency=19' 'frequency=20'
wrong '^profile: -F and -c exclude each other$' 'frequency=19' 'count=7'
wrong '^profile: --max-size is for a recording' 'max-size=50M'
# The command line comes first; what may be repeated adds up.
words=(-F 99)
right 'frequency=often'
words=(-o a.folded)
wrong '^profile: -o a.folded: given twice' 'output=a.folded'
words=()

profile --config "$tmp/missing" --check
expect_status 1
expect_err "^profile: --config $tmp/missing: No such file or directory$"
profile --config "$tmp" --check
expect_status 1
expect_err "^profile: --config $tmp: Is a directory$"
head -c 3000000 /dev/zero | tr '\0' x >"$tmp/conf"
profile --config "$tmp/conf" --check
expect_status 2

# The file and the unit that the package brings.
agent=$SOURCE_DIR/scripts/agent
profile --config "$agent/profile-agent.conf" --check
expect_status 0
sed 's/^#\(push\|spool\|label\)/\1/' "$agent/profile-agent.conf" >"$tmp/conf"
profile --config "$tmp/conf" --check
expect_status 0
if command -v systemd-analyze >/dev/null; then
  sed "s,/usr/sbin/profile,$PROFILE," "$agent/profile-agent.service" >"$tmp/profile-agent.service"
  run systemd-analyze verify --man=no "$tmp/profile-agent.service"
  expect_status 0
  expect_silence out
  expect_no_err 'profile-agent'
  # What is above that needs a mount namespace, or is what a profiler does.
  run systemd-analyze security --offline=yes --threshold=52 "$tmp/profile-agent.service"
  expect_status 0
else
  without "the unit" "there is no systemd-analyze here"
fi
