# shellcheck shell=bash
# Proves that only a defect can make the gate fail: `scripts/test --prove HOW...` repeats the gate while other programs
# use the machine. scripts/test sources it and provides run_part and unless_passed. HOW is one of:
#   quiet    3 runs as they are
#   busy     3 beside two busy loops and a process that writes and syncs
#   stolen   2 while a real-time process takes each CPU for 0.4 s of every 1.2, and everything stands still for 3 s of every 20
#   killed   1 after runs were killed by SIGKILL, one in the middle of each test that changes the machine or fills its memory
: "${root:?}" "${normal:?}" "${sanitized:?}"
machine_lock=''
declare -A proofs=([quiet]=3 [busy]=3 [stolen]=2 [killed]=1)
killed_in=(hidden_kernel cpu_hotplug malloc)

choose_proofs() {
  local word
  for word; do
    [[ ${proofs[$word]:-} ]] || stop "--prove is quiet, busy, stolen or killed, and not $word"
  done
  if (($# == 0)); then set -- quiet busy stolen killed; fi
  # shellcheck disable=SC2034
  chosen=("$@")
}

disturbers=()
disturb() {
  setpriv --pdeathsig KILL "$@" </dev/null >/dev/null 2>&1 {machine_lock}<&- &
  disturbers+=("$!")
}
leave_alone() {
  # Leaves the frozen group first, so that the freezer cannot stop this shell.
  if [[ ${frozen:-} ]]; then echo "$BASHPID" >"${frozen%/*}/cgroup.procs"; fi
  if ((${#disturbers[@]} != 0)); then
    kill -KILL "${disturbers[@]}"
    wait "${disturbers[@]}"
  fi 2>/dev/null
  disturbers=()
  if [[ ${frozen:-} ]]; then
    echo THAWED >"$frozen/freezer.state"
    while read -r pid; do echo "$pid" >"${frozen%/*}/cgroup.procs"; done <"$frozen/cgroup.procs"
    rmdir "$frozen"
    frozen=''
  fi 2>/dev/null
}

make_busy() {
  local written=$normal/proof.written
  disturb sh -c 'while :; do :; done'
  disturb sh -c 'while :; do :; done'
  disturb sh -c "while :; do dd if=/dev/zero of='$written' bs=1M count=16 conv=fsync; done"
}

# Imitates a host that gives the CPUs to other guests.
make_stolen() {
  local cpu
  for ((cpu = 0; cpu < $(nproc); cpu++)); do
    disturb chrt -f 50 taskset -c "$cpu" python3 -c '
import time
while True:
    end = time.monotonic() + 0.4
    while time.monotonic() < end: pass
    time.sleep(0.8)'
  done
  if mkdir /sys/fs/cgroup/freezer/profile-test-suite 2>/dev/null; then
    frozen=/sys/fs/cgroup/freezer/profile-test-suite
    disturb sh -c "while sleep 17; do echo FROZEN >$frozen/freezer.state; sleep 3; echo THAWED >$frozen/freezer.state; done"
    # This shell and its later children are frozen. The disturbers stay outside the group.
    echo "$BASHPID" >"$frozen/cgroup.procs"
  fi
}

# is_in_the_middle TEST : true while the change that the test makes to the machine is visible.
is_in_the_middle() {
  case $1 in
    hidden_kernel) [[ $(</proc/sys/kernel/kptr_restrict) == 2 ]] ;;
    cpu_hotplug) grep -q 0 /sys/devices/system/cpu/cpu[1-9]*/online ;;
    malloc) pgrep -f "^$normal/tests/workloads/allocs" >/dev/null ;;
  esac
}
# Imitates a user who kills the suite: the test and its ctest end at once, but the processes that they started go on.
kill_in_the_middle() {
  local runner left
  setpriv --pdeathsig KILL ctest --test-dir "$normal" -C all -R "^kernel\.$1\$" </dev/null >/dev/null 2>&1 {machine_lock}<&- &
  runner=$!
  for ((left = 3000; left > 0; left--)); do
    if is_in_the_middle "$1"; then break; fi
    sleep 0.02
  done
  ((left > 0)) || say "$1 was never in the middle"
  kill -KILL "$runner"
  pkill -KILL -f "^bash $root/tests/kernel/$1\.sh"
  wait "$runner" 2>/dev/null
  ((left > 0))
}

prove_once() {
  local status=0 test
  case $1 in
    busy) make_busy ;;
    stolen) make_stolen ;;
    killed)
      for test in "${killed_in[@]}"; do kill_in_the_middle "$test" || return 1; done
      # The next suite also does this, for all that the killed tests left.
      undo_leftovers
      ;;
  esac
  # In a subshell, because the freezer may stop it.
  (run_part gate) || status=1
  leave_alone
  return "$status"
}

# Needs root, because it disturbs the whole machine.
prove() {
  local how run failed=0
  ((EUID == 0)) || stop "--prove wants to be root"
  trap leave_alone EXIT
  build_and_test "$normal" all -N >/dev/null
  build_and_test "$sanitized" "unit_tests fuzz_replay" -N >/dev/null
  for how; do
    for ((run = 1; run <= proofs[$how]; run++)); do
      unless_passed "prove-$how-$run" "$how, run $run" prove_once "$how" || failed=1
    done
  done
  return "$failed"
}
