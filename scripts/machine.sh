# shellcheck shell=bash
# Prepares the machine for tests: one suite at a time, without the leftovers of a suite that was killed. It also
# measures how busy the machine was. scripts/test and scripts/defects source it, after packages.sh.

# take_machine : waits up to a minute for another suite on this machine. After that it names the other suite and exits
# with status 3.
take_machine() {
  local file=/tmp/profile-suite.lock holder
  if [[ -d /run/lock && -w /run/lock ]]; then file=/run/lock/profile-suite; fi
  # Opens the file for reading when it exists, because it may belong to another user.
  if [[ ! -e $file ]]; then : >>"$file"; fi 2>/dev/null
  exec {machine_lock}<"$file" || exit 1
  if ! flock -w 60 "$machine_lock"; then
    holder=$(awk -v inode=":$(stat -L -c %i "$file")$" '$2 == "FLOCK" && $6 ~ inode { print $5; exit }' /proc/locks)
    say "another suite runs on this machine: process ${holder:-unknown}: $({ tr '\0' ' ' <"/proc/${holder:-0}/cmdline"; } 2>/dev/null)"
    exit 3
  fi
}

# Prints the processes of a suite that has ended, as `PID WHAT`: programs and workloads of a test build, and test
# scripts. Other programs have no such paths, and no other suite runs at the same time.
left_processes() {
  local process what
  for process in /proc/[0-9]*; do
    what=$(readlink "$process/exe") || continue
    case ${what% (deleted)} in
      */build-test*/profile | */build-sanitize*/profile | */build-test*/*tests/* | */build-sanitize*/*tests/*) ;;
      */build-test*/unit_tests | */build-sanitize*/unit_tests) ;;
      */ctest | */bash)
        what=$(tr '\0' ' ' <"$process/cmdline")
        [[ $what =~ ^(/usr/bin/|/bin/)?(ctest\ --test-dir\ [^ ]*/build-(test|sanitize)|bash\ [^ ]*/tests/[a-z]+/[a-z_]+\.sh\ $) ]] || continue
        ;;
      *) continue ;;
    esac
    printf '%s %s\n' "${process#/proc/}" "$what"
  done 2>/dev/null
}

# As root: undoes the changes that a killed run left, and reports them. It ends the processes first, because they could
# make new changes.
undo_leftovers() {
  local pid what file
  while read -r pid what; do
    if kill -KILL "$pid" 2>/dev/null; then say "ended what an earlier run left: $pid, ${what:0:100}"; fi
  done < <(left_processes)
  for file in /sys/devices/system/cpu/cpu[0-9]*/online; do
    if [[ -e $file && $(<"$file") == 0 ]] && echo 1 >"$file"; then say "${file%/online} was offline"; fi
  done
  file=/proc/sys/kernel/kptr_restrict
  if [[ $(<"$file") == 2 ]] && echo 1 >"$file"; then say "kernel.kptr_restrict was 2"; fi
  file=/proc/sys/kernel/perf_event_max_sample_rate
  if (($(<"$file") < 10000)) && echo 100000 >"$file"; then say "kernel.perf_event_max_sample_rate was lowered"; fi
  while read -r file; do
    umount -l "$file" && say "$file was mounted"
  done < <(awk '$2 ~ /^\/tmp\/profile-test\./ { print $2 }' /proc/mounts | sort -r)
  for file in /sys/fs/cgroup{,/unified,/memory,/freezer}/profile-test[-.]*; do
    if [[ -d $file ]]; then rmdir "$file" && say "removed $file"; fi
  done
  # Removes directories of tests, and perf maps of processes that have ended.
  rm -rf --one-file-system /tmp/profile-test.??????
  for file in /tmp/perf-[0-9]*.map; do
    what=${file#/tmp/perf-}
    if [[ -f $file && ! -d /proc/${what%.map} ]]; then rm -f "$file"; fi
  done
}

# as_root FUNCTION : calls a function of this file as root.
as_root() {
  if ((EUID == 0)); then "$@"; else sudo -- bash -c "$(declare -f say left_processes undo_leftovers); $*"; fi
}

# tests_at_once : two per CPU, because most tests wait for samples or for a guest. One per CPU where a process takes
# more than 2.5 ms to start, as in a virtual machine with a slow memory mapping in the host.
tests_at_once() {
  local began_us=${EPOCHREALTIME/./} started
  for ((started = 0; started < 50; started++)); do /bin/true; done
  printf '%s\n' $(((${EPOCHREALTIME/./} - began_us) / 50 > 2500 ? $(nproc) : 2 * $(nproc)))
}

# Prints CPU time since boot in hundredths of a second, over all CPUs: total, taken by the host, idle, and used by this
# script and its children. `times` cannot give the last one: in a subshell it counts only the subshell's children.
machine_times() {
  local own
  own=$(awk '{ sub(/.*\) /, ""); print $12 + $13 + $14 + $15 }' "/proc/$$/stat")
  awk -v own="$own" '/^cpu / { print $2 + $3 + $4 + $5 + $6 + $7 + $8 + $9, $9, $5 + $6, own }' /proc/stat
}

# watch_machine begins the measurement, and say_how_busy prints it. After that, is_too_busy says whether the host and
# other programs took more than a fifth of the CPU time.
watch_machine() { read -ra watched_since < <(machine_times); }
say_how_busy() {
  local now
  read -ra now < <(machine_times)
  local all=$((now[0] - watched_since[0])) stolen=$((now[1] - watched_since[1])) idle=$((now[2] - watched_since[2]))
  if ((all < 1)); then all=1; fi
  others=$((all - stolen - idle - (now[3] - watched_since[3])))
  if ((others < 0)); then others=0; fi
  too_busy=$((all > 6000 && 5 * (stolen + others) > all))
  printf '== the machine: %d s; of its CPU time %d %% idle, %d %% stolen by the host, %d %% used by others; load %s\n' \
    $((all / 100 / $(nproc))) $((100 * idle / all)) $((100 * stolen / all)) $((100 * others / all)) "$(cut -d ' ' -f 1-3 /proc/loadavg)"
}
is_too_busy() {
  ((too_busy)) && say "the machine was too busy to tell a defect from chance"
}
