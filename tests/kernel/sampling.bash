# shellcheck shell=bash
# Runs the profiler for the tests that sample, checks the account of every run, and reads its reports.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_kernel

# at_exit COMMAND : undoes a change to the machine after the test's processes have ended; the latest change first.
endings=()
at_exit() { endings=("$1" "${endings[@]}"); }
put_right() {
  local ending
  clean_up
  for ending in "${endings[@]}"; do eval "$ending"; done
}
trap put_right EXIT

# Sets $cpu to the last CPU that a process may be bound to (taskset), and $other to the first. With a single CPU both
# are the same.
need_cpus() {
  need_command taskset
  read -r cpu other < <(python3 -c '
import os
cpus = sorted(os.sched_getaffinity(0))
print(cpus[-1], cpus[0])')
}

# has_event EVENT : true when this kernel has the event, by its name in --list-events. need_event EVENT... : skips the
# test with the reason when the kernel does not have it.
has_event() {
  [[ -e $tmp/events ]] || "$PROFILE" --list-events >"$tmp/events" || fail "--list-events"
  missing=$(reason_against "$1" "$tmp/events")
  [[ ! $missing ]]
}
need_event() {
  local event
  for event; do has_event "$event" || skip "-e $event: $missing"; done
}

# For checks that need a machine that keeps time: an emulated one spends most of its time on work that is cheap
# elsewhere, and ticks less often than requested.
need_timeliness() { ((${EMULATED:-0} == 0)) || skip "an emulated machine keeps no rate and no share of the time"; }

# An emulated machine takes this many times longer for the same work.
slowness=$((${EMULATED:-0} ? 20 : 1))

# burn WORKLOAD [ARGUMENT...] SECONDS|SECONDScpu|SECONDS/PARTS : starts the workload and sets $started to its pid. It
# ends with the test, after its time, or after so much CPU time; workloads accept at most 1200 seconds. With PARTS it
# computes for at most one part of so many, which leaves CPU time to other programs.
burn() {
  local lives=${*: -1}
  if ((slowness > 1)) && [[ $lives =~ ^([0-9.]+)(cpu|/[0-9]+)?$ ]]; then
    # On an emulated machine, CPU time limits need a smaller factor than elapsed time.
    lives=$(awk -v of="${BASH_REMATCH[1]}" -v by="$([[ $lives == *cpu ]] && echo 4 || echo "$slowness")" 'BEGIN { print of * by < 1200 ? of * by : 1200 }')${BASH_REMATCH[2]}
  fi
  start "$WORKLOADS/$1" "${@:2:$#-2}" "$lives"
}
# wait_until COMMAND... : repeats the command until it succeeds, for about a minute, because a busy machine is slow.
wait_until() {
  local left
  for ((left = 3000 * slowness; left > 0; left--)); do
    if "$@"; then return; fi
    sleep 0.02
  done
  fail "still not after a minute: $*"
}
# work_of PID : prints its CPU time in hundredths of a second. PID/task/TID means a thread.
work_of() { awk '{ print $(NF - 38) + $(NF - 37) }' "/proc/$1/stat"; }
has_worked() {
  local work
  work=$(work_of "$1" 2>/dev/null) && ((work >= $2))
}
# is_at_work PID : it has used 0.02 s of CPU time, so it is no longer being loaded.
is_at_work() { has_worked "$1" 2; }
# let_work PID HUNDREDTHS : waits until it has used so much more CPU time, however busy the machine is.
let_work() { wait_until has_worked "$1" $(($(work_of "$1") + $2)); }
# pause SECONDS : sleeps for a fixed time, and for twice that under the sanitizers.
pause() { if ((SANITIZED)); then sleep "$1" && sleep "$1"; else sleep "$1"; fi; }

# find_precedence : sets "${precedence[@]}" to a prefix that runs a command before all other work, where the machine
# allows it. Checks of time need it, because other programs must not change their result.
find_precedence() {
  precedence=(chrt -f 1)
  "${precedence[@]}" true 2>/dev/null || precedence=()
}
# begin [ARGUMENTS...] : starts the profiler, sets $profiler to its pid and returns at once. begin_counted waits until
# it samples, which needs a counted report on stdout. finish: waits for its end, and leaves the same results as `run`.
# $ahead is the prefix of the command.
ahead=()
begin() {
  : >"$tmp/out" # here, because who waits for a line must not find that of an earlier run
  : >"$tmp/err"
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
  # Processes that were started later stay in the list, so that the test still ends them.
  for at in "${!background[@]}"; do
    if [[ ${background[at]} == "$profiler" ]]; then unset "background[at]"; fi
  done
}

# aside COMMAND... : runs a function of the test in the background with its own $tmp. Only its failure has an effect.
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

# Reads the summary into $taken, $recorded, $idle, $filtered and $lost. The last four must add up to $taken. $unwritten
# is the part of $lost that was not read in time.
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
# The same for a run that must lose nothing.
expect_balance() {
  expect_balance_with_losses
  ((lost == 0)) || fail "samples were lost: $(grep -aE '^[0-9]+ samples in ' "$tmp/err")"
}

# sample [ARGUMENTS...] : runs the profiler, which must succeed and lose nothing.
sample() {
  profile "$@"
  expect_status 0
  expect_balance
}
# sample_folded [ARGUMENTS...] : the same with folded lines on stdout, which must add up to $recorded.
sample_folded() {
  sample -f "$@"
  expect_folded_total
}
# shellcheck disable=SC2120
expect_folded_total() { expect_equal "$(folded_total . "${1:-$tmp/out}")" "$recorded" "total of the folded lines"; }

# sample_enough N [ARGUMENT...] SECONDS : as sample_folded; doubles the time until there are N samples, because a busy
# machine gives few in a short time.
sample_enough() {
  local least=$1 window=${*: -1}
  shift
  sample_folded "$@"
  while ((recorded < least)); do
    window=$(awk -v last="$window" 'BEGIN { if (last > 60) exit 1; print 2 * last }') || fail "$recorded samples in a minute; $(outcome)"
    sample_folded "${@:1:$#-1}" "$window"
  done
}

# sample_until CONDITION [ARGUMENT...] SECONDS : as `sample`; doubles the time until the condition holds. The condition
# is a function with its arguments, such as are_many, or is_seen PATTERN... (each of them, or of "${sought[@]}", matches
# a line of stdout).
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

# sample_work PID HUNDREDTHS [ARGUMENT...] : as sample_folded, for that process or thread, until it has used so much
# more CPU time. The number of samples then does not depend on other programs.
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

# told_us BEFORE BEHIND : prints the time that a line on stderr has between these two patterns, in microseconds; nothing if
# there is no such line.
told_us() {
  sed -nE "s/^$1([0-9.]+) ([mu]?)s $2.*/\1 \2/p" "$tmp/err" |
    awk '{ printf "%.0f", $1 * ($2 == "" ? 1000000 : $2 == "m" ? 1000 : 1) }'
}

# expect_share PATTERN LOW HIGH [FILE] : checks the percentage of samples whose folded line matches.
expect_share() {
  local share
  share=$(share_of "$1" "${4:-$tmp/out}")
  expect_between "$share" "$2" "$3" "per cent of the samples with '$1'"
}
# expect_near PATTERN PERCENT [FILE] : checks a share whose true value is known. The tolerance is 6.2 standard
# deviations, which chance exceeds once in 10^9 times, and 0.8 per cent for samples outside the work.
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

# counted_total [FILE] : prints the sum of the counts in a counted report.
counted_total() { grep -E '^        [0-9]+$' "${1:-$tmp/out}" | awk '{ sum += $1 } END { print sum + 0 }'; }

# events_here : prints the events that this kernel has, one per line. For an event that takes a name, it uses names that
# busybody.c causes.
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

# tid_of PID NAME : waits for the thread of that name and prints its id.
has_thread() { grep -lqx -- "$2" /proc/"$1"/task/*/comm 2>/dev/null; }
tid_of() {
  wait_until has_thread "$1" "$2"
  basename "$(dirname "$(grep -lx -- "$2" /proc/"$1"/task/*/comm)")"
}

# interval_of FILE : prints when the report in a .pb.gz file began, in nanoseconds since 1970, and its length in
# nanoseconds.
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
# length_us FILE : prints that length in microseconds.
length_us() {
  local began_ns length_ns
  read -r began_ns length_ns < <(interval_of "$1")
  printf '%s\n' $((length_ns / 1000))
}
# is_asleep PID : it is blocked in a call that waits for time to pass.
is_asleep() { grep -qE 'sleep|select|poll' "/proc/$1/wchan"; }

# as_nobody [SETPRIV OPTION...] -- COMMAND... : runs the command without privilege. It may read $tmp and the program.
as_nobody() {
  need_command setpriv
  chmod 755 "$tmp"
  setpriv --pdeathsig KILL --reuid=65534 --regid=65534 --clear-groups "$@"
}

# find_disk : sets $disk to a disk in memory where possible, because a busy disk takes seconds for a request. Otherwise it
# is the name of a file in the current directory.
find_disk() {
  local file=/dev/shm/profile-test.$$
  at_exit "rm -f '$file'"
  if truncate -s 1M "$file" 2>/dev/null && disk=$(losetup --find --show "$file" 2>/dev/null); then
    at_exit "losetup -d '$disk'"
  else
    disk=$PWD/profile-test.$$
    at_exit "rm -f '$disk'"
  fi
}

# need_group : makes an empty cgroup for this test and sets $group. in_group COMMAND... : moves into that cgroup and
# replaces itself by the command.
need_group() {
  group=/sys/fs/cgroup/unified
  [[ -e $group/cgroup.procs ]] || group=/sys/fs/cgroup
  [[ -e $group/cgroup.procs ]] || skip "there is no cgroup v2 here"
  group=$group/profile-test-$$
  mkdir "$group" 2>/dev/null || skip "no cgroup can be made here"
  at_exit "rmdir '$group'"
}
in_group() { echo "$BASHPID" >"$group/cgroup.procs" && tied "$@"; }

# make_small_group BYTES : makes an empty cgroup with that memory limit and sets $small_group. False when that is
# impossible.
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

# add_member MAP NUMBER BYTE... : adds the number to a pinned map as a key, with these bytes as its value.
add_member() {
  local key
  read -ra key < <(python3 -c 'import sys; print(*int(sys.argv[1]).to_bytes(8, sys.byteorder))' "$2")
  bpftool map update pinned "$1" key "${key[@]}" value "${@:3}" || fail "bpftool cannot fill $1"
}
# refused_maps OPTION : a missing map, a path that is no map, keys of another size, and a map that is no hash are each
# reported, and nothing is sampled. Needs $tmp/bpffs.
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
