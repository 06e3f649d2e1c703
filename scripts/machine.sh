# shellcheck shell=bash
# The machine that tests run on: one suite at a time, without what a run that was killed has left behind, and how busy it was.
# Sourced by test, after packages.sh.

# take_machine : waits a minute for another suite on this machine; then names it and ends with status 3.
take_machine() {
  local file=/tmp/profile-suite.lock holder
  if [[ -d /run/lock && -w /run/lock ]]; then file=/run/lock/profile-suite; fi
  # Opened for reading where it is there: it may be another user's.
  if [[ ! -e $file ]]; then : >>"$file"; fi 2>/dev/null
  exec {machine_lock}<"$file" || exit 1
  if ! flock -w 60 "$machine_lock"; then
    holder=$(awk -v inode=":$(stat -L -c %i "$file")$" '$2 == "FLOCK" && $6 ~ inode { print $5; exit }' /proc/locks)
    say "another suite runs on this machine: process ${holder:-unknown}: $({ tr '\0' ' ' <"/proc/${holder:-0}/cmdline"; } 2>/dev/null)"
    exit 3
  fi
}

# Processes of a suite that is gone, as `PID WHAT`: the programs and workloads of a test build, and the tests' own scripts. Nobody
# else's have such paths, and no suite runs beside this one.
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

# As root: puts right what a run that was killed has left, and says so. Processes first: they change the rest.
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
  # Directories of tests, the perf maps of programs that are gone.
  rm -rf --one-file-system /tmp/profile-test.??????
  for file in /tmp/perf-[0-9]*.map; do
    what=${file#/tmp/perf-}
    if [[ -f $file && ! -d /proc/${what%.map} ]]; then rm -f "$file"; fi
  done
}

# as_root FUNCTION : one of these, with root's rights.
as_root() {
  if ((EUID == 0)); then "$@"; else sudo -- bash -c "$(declare -f say left_processes undo_leftovers); $*"; fi
}

# tests_at_once : two a CPU, for most of them wait, for samples or for a guest; one where a process takes so long to start that they
# do not, as in a virtual machine whose every page is mapped by its host.
tests_at_once() {
  local began_us=${EPOCHREALTIME/./} started
  for ((started = 0; started < 50; started++)); do /bin/true; done
  printf '%s\n' $(((${EPOCHREALTIME/./} - began_us) / 50 > 2500 ? $(nproc) : 2 * $(nproc)))
}

# Hundredths of a second of all CPUs since boot: all, those that the host took, idle ones, and those of this script's children. Not by
# `times`, which knows of none in a subshell.
machine_times() {
  local own
  own=$(awk '{ sub(/.*\) /, ""); print $12 + $13 + $14 + $15 }' "/proc/$$/stat")
  awk -v own="$own" '/^cpu / { print $2 + $3 + $4 + $5 + $6 + $7 + $8 + $9, $9, $5 + $6, own }' /proc/stat
}

# watch_machine : from now on. say_how_busy : since then, so that a failure can be judged; is_too_busy afterwards: whether others
# had more than a fifth of the CPUs.
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
