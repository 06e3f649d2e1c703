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

# burn WORKLOAD [ARGUMENT...] : starts it; its pid is $started. It ends with the test, or by itself after its time.
burn() { start "$WORKLOADS/$1" "${@:2}"; }
# wait_until COMMAND... : runs it again and again until it succeeds, for ten seconds at most.
wait_until() {
  local left
  for ((left = 500; left > 0; left--)); do
    if "$@"; then return; fi
    sleep 0.02
  done
  fail "still not after ten seconds: $*"
}
# is_at_work PID : it has computed for two hundredths of a second, and so is no more being loaded.
is_at_work() { awk '{ exit $(NF - 38) + $(NF - 37) < 2 }' "/proc/$1/stat"; }
# pause SECONDS : what a fixed time is enough for; more of it under the sanitizers.
pause() { if ((SANITIZED)); then sleep "$1" && sleep "$1"; else sleep "$1"; fi; }

# begin [ARGUMENTS...] : starts the profiler and goes on; its pid is $profiler. finish: waits for it, and leaves what `run`
# leaves. It has started to sample once `begin` is back, if it has a destination in the counted format on stdout.
begin() {
  : >"$tmp/out"
  "$PROFILE" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
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
  wait "$profiler"
  status=$?
  unset 'background[-1]'
}

# Reads the summary into $taken, $recorded, $idle, $filtered and $lost: every sample the kernel took is in one of the latter.
expect_balance() {
  local summary number='([0-9]+)'
  summary=$(grep -aE '^[0-9]+ samples in ' "$tmp/err") || fail "no summary; $(outcome)"
  taken=${summary%% *} recorded=0 idle=0 filtered=0 lost=0
  if [[ $summary =~ [^0-9]$number\ recorded ]]; then recorded=${BASH_REMATCH[1]}; fi
  if [[ $summary =~ [^0-9]$number\ idle ]]; then idle=${BASH_REMATCH[1]}; fi
  if [[ $summary =~ [^0-9]$number\ filtered ]]; then filtered=${BASH_REMATCH[1]}; fi
  if [[ $summary =~ [^0-9]$number\ lost ]]; then lost=${BASH_REMATCH[1]}; else fail "no word of lost samples: $summary"; fi
  ((taken == recorded + idle + filtered + lost)) || fail "the buckets do not add up: $summary"
  ((lost == 0)) || fail "samples were lost: $summary"
  if [[ $summary == *unaccounted* ]]; then fail "$summary"; fi
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

# expect_share PATTERN LOW HIGH [FILE] : the percentage of samples whose folded line matches.
expect_share() {
  local share
  share=$(share_of "$1" "${4:-$tmp/out}")
  expect_between "$share" "$2" "$3" "per cent of the samples with '$1'"
}
# expect_near PATTERN PERCENT [FILE] : a share that is known; so far off it as chance allows in so many samples: four of its
# standard deviations, and 0.8 for what is no part of the work.
expect_near() {
  local off
  off=$(awk -v all="$(folded_total . "${3:-$tmp/out}")" -v percent="$2" \
    'BEGIN { if (all < 60) exit 1; print 0.8 + 4 * sqrt(percent * (100 - percent) / all) }') || fail "too few samples; $(outcome)"
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
  setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
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
in_group() { echo "$BASHPID" >"$group/cgroup.procs" && exec "$@"; }

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
