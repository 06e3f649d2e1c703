# shellcheck shell=bash
# Serves file systems from a user process (workloads/fuse_server.c), which may stop answering. Everything that hangs
# ends with the server, and the server ends with the test, however the test ends.
source "$(dirname "${BASH_SOURCE[0]}")/sampling.bash"
[[ -c /dev/fuse ]] || skip "there is no /dev/fuse here"
need_command timeout setpriv unshare nsenter
find_precedence

chmod 755 "$tmp"
mkdir "$tmp/files" "$tmp/place"
chmod 777 "$tmp/files"
# `served` has its own name in the reports, with the stacks of `leaves`.
cp "$WORKLOADS/leaves" "$tmp/files/served"
cp "$WORKLOADS/jit" "$WORKLOADS/parked" "$WORKLOADS/many_files" "$tmp/files"

# need_user_namespaces : skips the test with the reason when an unprivileged user cannot mount such a file system.
need_user_namespaces() {
  as_nobody -- unshare -U true 2>/dev/null || skip "a user without privilege gets no user namespace here"
}

# serve [OPTION...] -- PLACE [PROGRAM [ARGUMENT...]] : starts the server as $server and the program as $served; $said is
# the file with the output of both. The function adds PROGRAM's last argument, its seconds: it computes a third of the
# time, at a higher priority than other work.
servings=0
serve() {
  local options=() lives=600 program=() reason
  while [[ $1 != -- ]]; do options+=("$1") && shift; done
  if (($# > 2)); then program=("${@:3}" "$lives/3"); fi
  said=$tmp/said.$((++servings))
  : >"$said"
  nice -n -10 "$WORKLOADS/fuse_server" "${options[@]}" "$tmp/files" "$2" "$lives" "${program[@]}" >"$said" 2>&1 </dev/null &
  server=$!
  background+=("$server")
  wait_until grep -qE '^(program|ready|fuse_server:)' "$said"
  if reason=$(grep '^fuse_server:' "$said"); then skip "no file system can be served here: $reason"; fi
  served=$(sed -n 's/^program //p' "$said")
  if [[ $served ]]; then wait_until is_program "$served"; fi
}
# is_program PID : the server's child has become the program, and has been loaded.
is_program() {
  [[ -d /proc/$1 ]] || fail "the program ended: $(tail -n 3 "$said")"
  [[ $(readlink "/proc/$1/exe") == */fuse_server ]] && return 1
  is_at_work "$1" || [[ $(cut -d ' ' -f 3 "/proc/$1/stat") == S && $(cat "/proc/$1/wchan") != request_wait* ]]
}
# hang : from now on the server does not answer. stop_serving : ends the server, and so everything that waits for it.
hang() { kill -USR1 "${1:-$server}"; }
stop_serving() {
  { kill -KILL "$server" && wait "$server"; } 2>/dev/null
  true
}
# unanswered [OPERATION] : prints how many requests got no answer.
unanswered() { grep -c "^unanswered ${1:-}" "$said"; }

# The prefix of the profiler's command: empty, or a command that enters a server's namespace.
inside=()
# The check of the account. A run that traces all calls of the whole machine may lose some.
in_balance=expect_balance
# How many seconds a run may take to end after its time. What hangs never ends, and the machine may be busy.
patience=60
# in_time SECONDS [ARGUMENT...] : runs the profiler with these arguments, which say SECONDS, too. It must succeed and
# end in time, so it gets precedence.
in_time() {
  local seconds=$1 began_us=${EPOCHREALTIME/./} most_us
  shift
  most_us=$(awk -v a="$seconds" -v more=$((patience + 8 * SANITIZED)) -v times="$slowness" 'BEGIN { print 1000000 * times * (a + more) }')
  run "${precedence[@]}" "${inside[@]}" timeout -s KILL $((240 * slowness)) "$PROFILE" "$@"
  took=$((${EPOCHREALTIME/./} - began_us))
  expect_status 0
  $in_balance
  expect_between "$took" 0 "$most_us" "microseconds of a run of $seconds s"
}
# beside PID... -- [ARGUMENT...] : the same, until these processes have computed long enough to be seen; leaves folded
# lines.
beside() {
  local ahead=("${precedence[@]}" "${inside[@]}") pids=() pid began_us
  while [[ $1 != -- ]]; do pids+=("$1") && shift; done
  begin -o - -o "$tmp/beside.folded" "${@:2}"
  wait_until has_begun
  for pid in "${pids[@]}"; do let_work "$pid" "${work:-10}"; done
  began_us=${EPOCHREALTIME/./}
  kill -INT "$profiler"
  while ! is_over && ((${EPOCHREALTIME/./} - began_us < 1000000 * slowness * (patience + 8 * SANITIZED))); do sleep 0.02; done
  is_over || fail "it does not end within $patience s"
  finish
  mv "$tmp/beside.folded" "$tmp/out"
  expect_status 0
  $in_balance
}
is_over() { ! grep -q '^State:[^ZX]*$' "/proc/$profiler/status" 2>/dev/null; }
# in_crowd COUNT STEP : runs the profiler beside COUNT servers that do not answer. Their user ids are STEP apart; with 0
# all belong to one user.
in_crowd() {
  local at servers=() programs=() lives=600
  for ((at = 1; at <= $1; at++)); do
    "$WORKLOADS/fuse_server" -h OPEN -o -u $((65000 + at * $2)) "$tmp/files" "$tmp/place" "$lives" served "$lives/10" \
      >"$tmp/crowd.$at" 2>&1 </dev/null &
    servers+=("$!")
  done
  background+=("${servers[@]}")
  for ((at = 1; at <= $1; at++)); do
    wait_until grep -q '^program' "$tmp/crowd.$at"
    programs+=("$(sed -n 's/^program //p' "$tmp/crowd.$at")")
    wait_until is_program "${programs[-1]}"
  done
  kill -USR1 "${servers[@]}"
  work=3 beside "${leaves:-${programs[0]}}" "${programs[@]}" -- -F 499
  kill -KILL "${servers[@]}"
  wait "${servers[@]}" 2>/dev/null
}
# expect_others_named : `leaves`, which runs beside them, has its names in the folded lines.
expect_others_named() {
  expect_present '^leaves;(.*;)?main;outer;middle;(heavy|light) '
}
# The reason for a missing name, as the summary writes it.
# shellcheck disable=SC2034
no_answer='[0-9]+ [^,]*(no answer|not answer|not opened|given up)'
