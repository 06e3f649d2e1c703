# shellcheck shell=bash
# Judges the probes of a guest: an available event has the known weight of its workload. The table of kernels lists
# every event that may be missing, with the words of the message.
: "${tmp:?}" "${row:?}" "${architecture:?}" "${here:?}" "${cpus:?}"
left=$tmp/left
rounds=10 # of the workload
faults=0
wrong() {
  printf 'WRONG %s: %s\n' "$row" "$*"
  faults=$((faults + 1))
}

# lack_of NAME : prints the words of the row if it lacks that event.
lack_of() {
  awk -v row="$row" -v architecture="$architecture" -v name="$1" '
    $1 == "lacks" && ($2 == row || $2 == architecture) && index("," $3 ",", "," name ",") {
      sub(/^[^ ]+ +[^ ]+ +[^ ]+ +/, "")
      print
      exit
    }' "$here/kernels"
}
# Prints the last error message of a probe.
said_by() { grep -a '^profile: ' "$left/$1.err" | tail -n 1; }

# weight NAME PATTERN : prints the sum of the counts of the folded lines that match.
weight() { folded_total "$2" "$left/$1.out"; }

# expect_weight NAME PATTERN LOW [HIGH]
expect_weight() {
  local found
  found=$(weight "$1" "$2")
  if ((found < $3 || (${4:-found} < found))); then wrong "$1: $found of '$2', not $3${4:+ to $4}"; fi
}
# exactly NAME PATTERN WEIGHT : the weight, minus events that the profiler reports as not seen.
exactly() {
  local unseen
  unseen=$(sed -nE 's/^([0-9]+) events? (was|were) not seen: .*/\1/p' "$left/$1.err")
  expect_weight "$1" "$2" "$(($3 - ${unseen:-0}))" "$3"
}

# almost_exactly NAME FOUND MADE : all calls that were made, but for those that the profiler reports as not seen: one in
# a hundred at most. (Where a thread takes the CPU from a process that is just using a BPF map, no program runs.)
almost_exactly() {
  local unseen
  unseen=$(sed -nE 's/^([0-9]+) events? (was|were) not seen: .*/\1/p' "$left/$1.err")
  if (($2 == 0 || $2 > $3 || $2 + ${unseen:-0} < $3 || $2 * 100 < $3 * 99)); then
    wrong "$1: $2 of $3 calls, ${unseen:-0} events not seen"
  fi
}
# said_of NAME FUNCTION : how often the program says that it called the function.
said_of() { sed -nE "s/^$2 ([0-9]+)\$/\1/p" "$left/$1.out"; }

# known_truth NAME : checks a command that makes $rounds rounds of the workload.
known_truth() {
  local n=$rounds waits
  case $1 in
    *-clock | command) expect_weight "$1" '^busybody;.*;compute(;| )' 1 ;;
    page-faults | minor-faults) exactly "$1" ';main;touch(;| )' $((16 * n)) ;;
    # The nap of a millisecond may end before its thread has left the CPU.
    context-switches | SYSTEM:EVENT) expect_weight "$1" ';main;rest;' 1 ;;
    major-faults) expect_weight "$1" '^profile;' 1 ;;
    cgroup-switches) expect_weight "$1" ';main;' 1 ;;
    cpu-migrations) ((cpus == 1)) || expect_weight "$1" '^sh;' 1 ;;
    uprobe:*) exactly "$1" ';main;allocate ' "$n" ;;
    off-cpu-waker) expect_weight "$1" ';main;rest;.*;--;.' 1000 ;;
    off-cpu*) expect_weight "$1" ';main;rest;' 1000 ;;
    wall*)
      expect_weight "$1" ';main;rest;' 1000
      expect_weight "$1" ';main;compute(;| )' 1
      ;;
    futex) expect_weight "$1" ';main;await(;| )' $((1000 * n)) ;;
    block-io) expect_weight "$1" ';main;.*\[write vdb\] ' 1 ;;
    syscalls) exactly "$1" ';main;ask;getppid ' $((10 * n)) ;;
    rivals-syscalls) almost_exactly "$1" "$(weight "$1" ';work;ask;getppid ')" "$(said_of "$1" ask)" ;;
    rivals-futex)
      # The waits of pthread_join have other addresses.
      waits=$(awk '/ 0x[0-9a-f]+ / && $1 + 0 > most { most = $1 + 0 } END { print most + 0 }' "$left/$1.out")
      almost_exactly "$1" "$waits" "$(said_of "$1" wait_once)"
      ;;
    # One walk in a hundred may end early: the walk does not wait for a page of the stack that is not in memory.
    malloc) expect_weight "$1" ';main;allocate;' $((10 * 990 * n)) $((10 * 1000 * n)) ;;
    malloc-live) exactly "$1" ';main;allocate;' 0 ;;
  esac
}
# Checks a process that began before the probe and continues after it.
known_presence() {
  case $1 in
    *-clock | pid | comm | cgroup) expect_weight "$1" '^busybody;.*;compute(;| )' 1 ;;
    page-faults | minor-faults) expect_weight "$1" ';main;touch(;| )' 1 ;;
    cgroup-switches) expect_weight "$1" ';main;' 1 ;;
    context-switches | off-cpu | wall | SYSTEM:EVENT | pid-tracepoint | pid-off-cpu) expect_weight "$1" ';main;rest;' 1 ;;
    uprobe:* | pid-uprobe | malloc) expect_weight "$1" ';main;allocate(;| )' 1 ;;
    futex) expect_weight "$1" ';main;await(;| )' 1 ;;
    block-io) expect_weight "$1" '\[write vdb\] ' 1 ;;
    syscalls) expect_weight "$1" ';main;ask;getppid ' 1 ;;
    kernel) expect_weight "$1" . 1 ;;
  esac
}


# judge_probe NAME : a probe that should work.
judge_probe() {
  local status
  status=$(cat "$left/$1.status" 2>/dev/null)
  if [[ $status != 0 ]]; then
    wrong "$1 fails with ${status:-nothing}: $(said_by "$1")"
    # The message of the verifier.
    grep -aE -B 6 -- '-- END PROG LOAD LOG --|^processed [0-9]+ insns' "$left/$1.err" | tail -n 8
    return
  fi
  if ! grep -aqE '(^| )0 lost' "$left/$1.err" && [[ $1 != wall-stream ]]; then
    wrong "$1: samples are lost: $(grep -a 'samples in' "$left/$1.err")"
  fi
  if [[ $1 == pid* || $1 == comm || $1 == cgroup || $1 == kernel || ! -e $left/commands ]]; then known_presence "$1"; else known_truth "$1"; fi
}
# judge_refusal NAME WORDS : a probe that should be refused.
judge_refusal() {
  local words
  words=$(said_by "$1")
  [[ $(cat "$left/$1.status") == 1 ]] || wrong "$1 ends with $(cat "$left/$1.status"), not 1"
  [[ $(grep -ac '^profile: ' "$left/$1.err") == 1 && $words =~ $2 ]] || wrong "$1 is refused by '$words', not by '$2'"
}

# judge_events : checks each line of --list-events.
judge_events() {
  local event missing lack reason
  (($(wc -l <"$left/events") > 20)) || wrong "--list-events names only $(wc -l <"$left/events") events"
  while read -r event missing; do
    lack=$(lack_of "$event")
    if [[ $missing == - && ! $lack ]]; then
      judge_probe "$event"
    elif [[ $missing == - ]]; then
      wrong "--list-events says nothing of $event, which needs: $lack"
    else
      reason=$(reason_against "$event" "$left/list-events.out")
      [[ $lack && $reason =~ $lack ]] || wrong "--list-events says of $event: '$reason', not '${lack:-that it is there}'"
      # Only one of the hardware events was tried.
      if [[ -e $left/$event.status ]]; then judge_refusal "$event" "${lack:-$reason}"; fi
    fi
  done <"$left/events"
}
# judge_walks : stacks without frame pointers are complete, except those from before the tables existed. Where the
# kernel allows no walk, the profiler says so.
judge_walks() {
  local -A chains
  local shape all whole lack
  chains=([plain]='first;second;third;spin' [aligned]='aligned;spin' [many]='many;spin' [written]='written;spin'
    [steep]="$(printf 'descend;%.0s' {1..40})spin" [swapped]='swapped;outer(;middle(;inner)?)?')
  lack=$(lack_of walk)
  for shape in "${!chains[@]}"; do
    if [[ $lack ]]; then
      grep -aqE "^user stacks are taken by frame pointers alone: .*$lack" "$left/walk-$shape.err" || wrong "walk-$shape does not say '$lack'"
      continue
    fi
    if [[ $shape == written && $architecture != amd64 ]]; then continue; fi
    whole=$(weight "walk-$shape" "^frameless;([^;]*;)*main;${chains[$shape]} ")
    # While mappings change under the walk, a stack may be shorter, but never wrong. A stack that is marked as
    # incomplete does not count.
    if [[ $shape == swapped ]]; then
      whole=$(weight "walk-$shape" "^frameless;(main|[^[][^;]*;([^;]*;)*main);${chains[$shape]} ")
      all=$(weight "walk-$shape" '^frameless;[^[](.*;)?(outer|middle|inner)( |;)')
      if ((whole != all)); then wrong "walk-$shape: $((all - whole)) of $all stacks are wrong"; fi
      continue
    fi
    all=$(($(weight "walk-$shape" .) - $(weight "walk-$shape" 'incomplete: no table yet')))
    if ((all < 10 || whole * 100 < all * 80)); then wrong "walk-$shape: $whole of $all stacks are whole"; fi
  done
}
# judge_script : stacks of a program of Python have its functions in the right order, and none of them has a wrong one.
judge_script() {
  local said
  if [[ $architecture != arm64 ]]; then return; fi
  said=$(python3 "$SOURCE_DIR/tests/workloads/scripts/check_mix.py" "$left/script.out" 40 python)
  printf 'script: %s\n' "${said%%$'\n'*}"
  if [[ ! $said =~ ^right\ ([0-9]+)\ wrong\ 0\ missing\ [0-9]+\ other\ [0-9]+\ of\ ([0-9]+) ]]; then
    wrong "script: $said"
  elif ((BASH_REMATCH[1] < 10 || BASH_REMATCH[1] * 100 < BASH_REMATCH[2] * 80)); then
    wrong "script: few stacks are whole: $said; $(said_by script)"
  fi
}
# judge_uses : checks the other probes, NAME=EVENT.
judge_uses() {
  local use name lack
  for use in pid=cpu-clock pid-tracepoint=SYSTEM:EVENT pid-uprobe=uprobe:FILE:SYMBOL pid-off-cpu=off-cpu comm=cpu-clock \
    command=cpu-clock malloc-live=malloc syscalls-latency=syscalls off-cpu-state=off-cpu off-cpu-waker=off-cpu rivals-syscalls=syscalls rivals-futex=futex wall-stream=wall cgroup=cpu-clock kernel=cpu-clock; do
    name=${use%%=*}
    lack=$(lack_of "$name")
    [[ $lack ]] || lack=$(lack_of "${use#*=}")
    if [[ $lack ]]; then judge_refusal "$name" "$lack"; else judge_probe "$name"; fi
  done
  judge_refusal unprivileged 'cap_bpf|root'
  # Hidden kernel names are reported as hidden.
  lack=$(lack_of kernel-names)
  if [[ ! $lack ]]; then
    expect_weight kernel '[;][a-z_][a-z0-9_.]*(;| )' 1
  else
    grep -aqE "$lack" "$left/kernel.err" || wrong "kernel functions have no names, and '$lack' is not said"
    exactly kernel '[;][a-z_][a-z0-9_.]*(;| )' 0
  fi
}

# judge_kernel : checks that the kernel's log has no complaints.
judge_kernel() {
  local complaint='WARNING:|BUG:|INFO: (task|rcu)|rcu.*(stall|self-detected)|[Ll]ockdep|possible (circular|recursive)|scheduling while'
  complaint+='|Oops|general protection|nable to handle|soft lockup|hard LOCKUP'
  if grep -E -A 20 "$complaint" "$left/dmesg"; then wrong "the kernel complains"; fi
  if [[ -e $left/complaints ]]; then wrong "$(cat "$left/complaints")"; fi
}

# judge_verifier : prints a table of the programs: the most instructions that the verifier checked, and the stack with
# all calls.
judge_verifier() {
  local program instructions stack
  cat "$left"/*.err | sed -nE 's/^verifier: ([^ :]+): ([0-9]+) instructions?, ([0-9]+) bytes? of stack$/\1 \2 \3/p' |
    sort -k1,1 -k2,2nr | awk '$1 != last { print; last = $1 }' >"$tmp/programs"
  printf '\n%-30s %12s %6s\n' PROGRAM INSTRUCTIONS STACK
  while read -r program instructions stack; do
    printf '%-30s %12s %6s\n' "$program" "$instructions" "$stack"
    if ((instructions > 500000)); then wrong "$program: the verifier looks at $instructions instructions"; fi
    # Even the simplest program uses some stack.
    if ((stack > 480 || stack == 0)); then wrong "$program: $stack bytes of stack"; fi
  done <"$tmp/programs"
  if [[ ! -s $tmp/programs ]]; then wrong "-v tells nothing of what the verifier looks at"; fi
}

# judge_cpu_costs : prints what a run takes for each CPU. Where there are many of them, it is little.
judge_cpu_costs() {
  local kernel rings descriptors count
  read -r kernel rings descriptors count <"$left/cpu_costs"
  if ((count != cpus)); then wrong "the guest has $count CPUs and not $cpus"; fi
  printf '%s kB in the kernel, %s kB of rings and %s descriptors for each of %s CPUs\n' \
    $((kernel / count)) $((rings / count)) $((descriptors / count)) "$count"
  if ((count < 16)); then return; fi
  if ((kernel < 1 || kernel + rings > 300 * count)); then wrong "the CPUs take $kernel + $rings kB"; fi
  if ((descriptors < count || descriptors > 2 * count)); then wrong "the CPUs take $descriptors descriptors"; fi
}

# judge_probes : prints a table of the results and checks them.
judge_probes() {
  local name began ended
  if [[ ${is_portable:-} && $(cat "$left/program") != /opt/* ]]; then wrong "not the program that brings its libraries was tried"; fi
  if [[ -e $left/first ]]; then
    read -r began ended <"$left/first"
    printf 'first sample after %s s\n' "$(awk -v a="$began" -v b="$ended" 'BEGIN { printf "%.2f", b - a }')"
  fi
  judge_cpu_costs
  printf '\n%-28s %6s %10s %6s\n' PROBE STATUS WEIGHT TIME
  while read -r name began ended; do
    printf '%-28s %6s %10s %6.1f\n' "$name" "$(cat "$left/$name.status")" "$(weight "$name" ' [0-9]+$')" \
      "$(awk -v a="$began" -v b="$ended" 'BEGIN { print b - a }')"
  done <"$left/times"
  judge_events
  judge_uses
  judge_walks
  judge_script
  judge_verifier
}

# judge TASK : fails when anything was wrong.
judge() {
  printf 'Linux %s, %s, booted in %s s, all in %s s\n' "$(cat "$left/release")" "$row" "$(cat "$left/booted")" "$(cat "$left/end")"
  if [[ $1 == tests ]]; then judge_kernel_tests; else judge_probes; fi
  judge_kernel
  ((faults == 0)) || fail "$faults things are wrong on $row"
}
