# shellcheck shell=bash
# For the tests that sample: runs of the profiler whose account is checked every time, and what to ask of its reports.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_kernel

# at_exit COMMAND : puts right what the test has changed of the machine, once its processes are gone; the latest first.
endings=()
at_exit() { endings=("$1" "${endings[@]}"); }
put_right() {
  local ending
  clean_up
  for ending in "${endings[@]}"; do eval "$ending"; done
}
trap put_right EXIT

# The last of the CPUs a process can be bound to (taskset) as $cpu, the first as $other: the same one where there is just one.
need_cpus() {
  need_command taskset
  read -r cpu other < <(python3 -c '
import os
cpus = sorted(os.sched_getaffinity(0))
print(cpus[-1], cpus[0])')
}

# has_event EVENT : whether this kernel has it, by the name that --list-events begins a line with. need_event EVENT... : skips the
# test with the reason where it has not.
has_event() {
  [[ -e $tmp/events ]] || "$PROFILE" --list-events >"$tmp/events" || fail "--list-events"
  missing=$(reason_against "$1" "$tmp/events")
  [[ ! $missing ]]
}
need_event() {
  local event
  for event; do has_event "$event" || skip "-e $event: $missing"; done
}

# For what is true of a machine that keeps the time: an emulated one spends most of it on what is a small part elsewhere, and
# ticks less often than it is asked to.
need_timeliness() { ((${EMULATED:-0} == 0)) || skip "an emulated machine keeps no rate and no share of the time"; }

# An emulated machine takes so much longer for the same.
slowness=$((${EMULATED:-0} ? 20 : 1))

# burn WORKLOAD [ARGUMENT...] SECONDS|SECONDScpu|SECONDS/PARTS : starts it; its pid is $started. It ends with the test, or by itself
# after its time, or when it has computed for so long; 1200 seconds are the most that workloads take. With PARTS it computes for one
# of so many at most: enough to be seen, and the CPUs are left to others.
burn() {
  local lives=${*: -1}
  if ((slowness > 1)) && [[ $lives =~ ^([0-9.]+)(cpu|/[0-9]+)?$ ]]; then
    # What it lives of CPU time is used up more slowly there by itself.
    lives=$(awk -v of="${BASH_REMATCH[1]}" -v by="$([[ $lives == *cpu ]] && echo 4 || echo "$slowness")" 'BEGIN { print of * by < 1200 ? of * by : 1200 }')${BASH_REMATCH[2]}
  fi
  start "$WORKLOADS/$1" "${@:2:$#-2}" "$lives"
}
# wait_until COMMAND... : runs it again and again until it succeeds, for a minute at most: a busy machine takes its time.
wait_until() {
  local left
  for ((left = 3000 * slowness; left > 0; left--)); do
    if "$@"; then return; fi
    sleep 0.02
  done
  fail "still not after a minute: $*"
}
# work_of PID : for how many hundredths of a second it has computed. A thread is PID/task/TID.
work_of() { awk '{ print $(NF - 38) + $(NF - 37) }' "/proc/$1/stat"; }
has_worked() {
  local work
  work=$(work_of "$1" 2>/dev/null) && ((work >= $2))
}
# is_at_work PID : it has computed for two hundredths of a second, and so is no more being loaded.
is_at_work() { has_worked "$1" 2; }
# let_work PID HUNDREDTHS : waits until it has computed for so much longer, which on a busy machine takes its time.
let_work() { wait_until has_worked "$1" $(($(work_of "$1") + $2)); }
# pause SECONDS : what a fixed time is enough for; more of it under the sanitizers.
pause() { if ((SANITIZED)); then sleep "$1" && sleep "$1"; else sleep "$1"; fi; }

# find_precedence : makes "${precedence[@]}" put a command before all other work of the machine, where that may be had: for questions
# of how soon, which are not about what else there is to do.
find_precedence() {
  precedence=(chrt -f 1)
  "${precedence[@]}" true 2>/dev/null || precedence=()
}
# begin [ARGUMENTS...] : starts the profiler and goes on; its pid is $profiler. finish: waits for it, and leaves what `run`
# leaves. It has started to sample once `begin` is back, if it has a destination in the counted format on stdout. `ahead` is what
# stands before it in the command.
ahead=()
begin() {
  : >"$tmp/out"
  tied "${ahead[@]}" "$PROFILE" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
  profiler=$!
  background+=("$profiler")
}
has_begun() { grep -Eq '^(Sampling|Tracing|Counting) ' "$tmp/out"; }
begin_counted() {
  begin "$@"
  wait_until has_begun
  pause 0.1
}
finish() {
  local at
  wait "$profiler"
  status=$?
  # What was started since is still to be ended by the test.
  for at in "${!background[@]}"; do
    if [[ ${background[at]} == "$profiler" ]]; then unset "background[at]"; fi
  done
}

# aside COMMAND... : runs a function of the test beside what follows, with a directory of its own as $tmp; it only looks, or fails.
# join_asides: waits for all of them, and ends the test if one has failed.
asides=()
aside() {
  local own=$tmp/aside.${#asides[@]}
  mkdir -p "$own"
  (tmp=$own && "$@") &
  asides+=("$!")
  background+=("$!")
}
join_asides() {
  local one at failed=0
  for one in "${asides[@]}"; do wait "$one" || failed=1; done
  ((failed == 0)) || exit 1
  for at in "${!background[@]}"; do
    if [[ " ${asides[*]} " == *" ${background[at]} "* ]]; then unset "background[at]"; fi
  done
  asides=()
}

# Reads the summary into $taken, $recorded, $idle, $filtered and $lost: every sample the kernel took is in one of the latter.
# Those of the lost that nobody read in time are in $unwritten.
# shellcheck disable=SC2034
expect_balance_with_losses() {
  local summary number='([0-9]+)'
  summary=$(grep -aE '^[0-9]+ samples in ' "$tmp/err") || fail "no summary; $(outcome)"
  taken=${summary%% *} recorded=0 idle=0 filtered=0 lost=0 unwritten=0
  if [[ $summary =~ [^0-9]$number\ recorded ]]; then recorded=${BASH_REMATCH[1]}; fi
  if [[ $summary =~ [^0-9]$number\ idle ]]; then idle=${BASH_REMATCH[1]}; fi
  if [[ $summary =~ [^0-9]$number\ filtered ]]; then filtered=${BASH_REMATCH[1]}; fi
  if [[ $summary =~ [^0-9]$number\ lost ]]; then lost=${BASH_REMATCH[1]}; else fail "no word of lost samples: $summary"; fi
  if [[ $summary =~ \($number\ not\ read\ in\ time\) ]]; then unwritten=${BASH_REMATCH[1]}; fi
  ((taken == recorded + idle + filtered + lost)) || fail "the buckets do not add up: $summary"
  if [[ $summary == *unaccounted* ]]; then fail "$summary"; fi
}
# The same where nothing may be lost.
expect_balance() {
  expect_balance_with_losses
  ((lost == 0)) || fail "samples were lost: $(grep -aE '^[0-9]+ samples in ' "$tmp/err")"
}

# sample [ARGUMENTS...] : a run of the profiler that must succeed and lose nothing.
sample() {
  profile "$@"
  expect_status 0
  expect_balance
}
# sample_folded [ARGUMENTS...] : the same with folded lines on stdout, which must add up to what was recorded.
sample_folded() {
  sample -f "$@"
  expect_folded_total
}
# shellcheck disable=SC2120
expect_folded_total() { expect_equal "$(folded_total . "${1:-$tmp/out}")" "$recorded" "total of the folded lines"; }

# sample_enough N [ARGUMENT...] SECONDS : as sample_folded, and in twice the time if that has not given N samples, until it does: a
# machine that stalls gives few in a short time.
sample_enough() {
  local least=$1 window=${*: -1}
  shift
  sample_folded "$@"
  while ((recorded < least)); do
    window=$(awk -v last="$window" 'BEGIN { if (last > 60) exit 1; print 2 * last }') || fail "$recorded samples in a minute; $(outcome)"
    sample_folded "${@:1:$#-1}" "$window"
  done
}

# sample_until CONDITION [ARGUMENT...] SECONDS : as `sample`, and in twice the time until that holds, a function of the test with what
# it is given. Two such: are_many, of samples; is_seen PATTERN..., when each of them, or of "${sought[@]}", is in a line of stdout.
sought=()
are_many() { ((recorded >= 60)); }
is_seen() {
  local pattern
  for pattern in "${@:-${sought[@]}}"; do grep -Eq -- "$pattern" "$tmp/out" || return 1; done
}
sample_until() {
  local -a goal
  local window=${*: -1}
  read -ra goal <<<"$1"
  shift
  sample "$@"
  until "${goal[@]}"; do
    window=$(awk -v last="$window" 'BEGIN { if (last > 60) exit 1; print 2 * last }') ||
      fail "not in a minute: ${goal[*]} ${sought[*]}; $(outcome)"
    sample "${@:1:$#-1}" "$window"
  done
}

# sample_work PID HUNDREDTHS [ARGUMENT...] : as sample_folded, of that process or thread until it has computed for so much longer:
# as many samples, whoever else computes.
sample_work() {
  wait_until is_at_work "$1"
  begin -o - -o "$tmp/sampled.folded" -p "${1%%/*}" "${@:3}"
  wait_until has_begun
  let_work "$1" "$2"
  kill -INT "$profiler"
  finish
  mv "$tmp/sampled.folded" "$tmp/out"
  expect_status 0
  expect_balance
  expect_folded_total
}

# expect_share PATTERN LOW HIGH [FILE] : the percentage of samples whose folded line matches.
expect_share() {
  local share
  share=$(share_of "$1" "${4:-$tmp/out}")
  expect_between "$share" "$2" "$3" "per cent of the samples with '$1'"
}
# expect_near PATTERN PERCENT [FILE] : a share that is known; so far off it as chance allows in so many samples: 6.2 of its
# standard deviations, which chance exceeds once in 10^9 times, and 0.8 for what is no part of the work.
expect_near() {
  local off
  off=$(awk -v all="$(folded_total . "${3:-$tmp/out}")" -v percent="$2" \
    'BEGIN { if (all < 60) exit 1; print 0.8 + 6.2 * sqrt(percent * (100 - percent) / all) }') || fail "too few samples; $(outcome)"
  expect_share "$1" "$(awk -v a="$2" -v b="$off" 'BEGIN { print a - b }')" "$(awk -v a="$2" -v b="$off" 'BEGIN { print a + b }')" "${3:-$tmp/out}"
}
# expect_present PATTERN [FILE], expect_absent PATTERN [FILE] : in folded lines.
expect_present() {
  (($(folded_total "$1" "${2:-$tmp/out}") > 0)) || fail "no sample with '$1'; $(outcome)"
}
expect_absent() {
  (($(folded_total "$1" "${2:-$tmp/out}") == 0)) || fail "there are samples with '$1'; $(outcome)"
}

# counted_total [FILE] : the counts of a counted report, added up.
counted_total() { grep -E '^        [0-9]+$' "${1:-$tmp/out}" | awk '{ sum += $1 } END { print sum + 0 }'; }

# events_here : the events that this kernel has, one a line; of a kind that takes a name, such ones as busybody.c causes.
events_here() {
  local name
  while read -r name; do
    has_event "$name" || continue
    case $name in
      uprobe:*) echo uprobe:libc:malloc ;;
      SYSTEM:EVENT) printf '%s\n' sched:sched_switch syscalls:sys_enter_getppid ;;
      CACHE-OPERATIONS) echo L1-dcache-loads ;;
      rNNNN) ;;
      *) echo "$name" ;;
    esac
  done < <("$PROFILE" --list-events | sed -nE 's/^  ([^ ,]+).*/\1/p')
}

# tid_of PID NAME : the thread of that name, waited for.
has_thread() { grep -lqx -- "$2" /proc/"$1"/task/*/comm 2>/dev/null; }
tid_of() {
  wait_until has_thread "$1" "$2"
  basename "$(dirname "$(grep -lx -- "$2" /proc/"$1"/task/*/comm)")"
}

# interval_of FILE : when the report in a .pb.gz file began, in nanoseconds since 1970, and how many it is long.
interval_of() {
  python3 - "$1" <<'PYTHON' || fail "no times in $1"
import gzip, sys
data, at, times = gzip.open(sys.argv[1]).read(), 0, {}
def varint():
    global at
    value = shift = 0
    while True:
        byte = data[at]
        at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
        if byte < 128: return value
while at < len(data):
    key, value = varint(), varint()
    if key & 7: at += value
    else: times[key >> 3] = value
print(times[9], times[10])
PYTHON
}
# length_us FILE : how many microseconds that is.
length_us() {
  local began_ns length_ns
  read -r began_ns length_ns < <(interval_of "$1")
  printf '%s\n' $((length_ns / 1000))
}
# is_asleep PID : it waits for time to pass, and is no more on its way there.
is_asleep() { grep -qE 'sleep|select|poll' "/proc/$1/wchan"; }

# as_nobody [SETPRIV OPTION...] -- COMMAND... : without privilege; $tmp and the program can be read.
as_nobody() {
  need_command setpriv
  chmod 755 "$tmp"
  setpriv --pdeathsig KILL --reuid=65534 --regid=65534 --clear-groups "$@"
}

# need_group : an empty cgroup of the test's own as $group. in_group COMMAND... : becomes the command, in it.
need_group() {
  group=/sys/fs/cgroup/unified
  [[ -e $group/cgroup.procs ]] || group=/sys/fs/cgroup
  [[ -e $group/cgroup.procs ]] || skip "there is no cgroup v2 here"
  group=$group/profile-test-$$
  mkdir "$group" 2>/dev/null || skip "no cgroup can be made here"
  at_exit "rmdir '$group'"
}
in_group() { echo "$BASHPID" >"$group/cgroup.procs" && tied "$@"; }

# make_small_group BYTES : an empty group that may have no more memory, as $small_group. False: none can be made.
make_small_group() {
  local limit_file
  if [[ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ]]; then
    small_group=/sys/fs/cgroup/memory/profile-test.$$
    limit_file=memory.limit_in_bytes
  elif grep -qsw memory /sys/fs/cgroup/cgroup.subtree_control; then
    small_group=/sys/fs/cgroup/profile-test.$$
    limit_file=memory.max
  else
    return 1
  fi
  mkdir "$small_group" 2>/dev/null || return 1
  at_exit "rmdir $small_group"
  echo "$1" >"$small_group/$limit_file"
  if [[ -e $small_group/memory.swap.max ]]; then echo 0 >"$small_group/memory.swap.max"; fi
}

# add_member MAP NUMBER BYTE... : puts the number into a pinned map as a key, with a value of these bytes.
add_member() {
  local key
  read -ra key < <(python3 -c 'import sys; print(*int(sys.argv[1]).to_bytes(8, sys.byteorder))' "$2")
  bpftool map update pinned "$1" key "${key[@]}" value "${@:3}" || fail "bpftool cannot fill $1"
}
# refused_maps OPTION : no map at the path, no map at all, keys of another size, not a hash: each is said, and nothing sampled.
# Needs $tmp/bpffs.
refused_maps() {
  local path
  bpftool map create "$tmp/bpffs/narrow" type hash key 4 value 4 entries 4 name narrow
  bpftool map create "$tmp/bpffs/array" type array key 4 value 8 entries 4 name array
  for path in "$tmp/bpffs/absent" "$tmp/bpffs" "$tmp/out" "$tmp/bpffs/narrow" "$tmp/bpffs/array"; do
    profile "$1" "$path" 1
    expect_status 1
    expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
    expect_err "^profile: $1 $path: "
    expect_silence out
  done
  [[ ! -e $tmp/bpffs/absent ]] || fail "a map was pinned at $tmp/bpffs/absent"
  profile "$1" "$tmp/bpffs/narrow" 1
  expect_err '4 bytes'
}
