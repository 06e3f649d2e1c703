#!/bin/sh
# Runs in a guest: tries every event of --list-events on a command that causes a known number of them, and some other
# uses. Each probe leaves NAME.out, .err and .status in /out; the host judges them, because the guest is slow.
profile=/usr/sbin/profile
if [ -e /opt/profile ]; then profile=/opt/profile/profile; fi
echo $profile >/out/program
rounds=$(cat /work/rounds)

now() { cut -d ' ' -f 1 /proc/uptime; }
# probe NAME ARGUMENT...
probe() {
  name=$1
  shift
  # Shows the host that the guest is alive.
  echo "vm: $name" >/dev/console
  began=$(now)
  timeout 100 $profile "$@" >"/out/$name.out" 2>"/out/$name.err" </dev/null
  echo "$?" >"/out/$name.status"
  echo "$name $began $(now)" >>/out/times
}
# of_process NAME ARGUMENT... : samples a process that runs as long as the probe.
of_process() {
  busybody /disk/file 60 &
  probe "$@" -p $!
  kill $!
  wait $!
} 2>/dev/null

# of_command NAME ARGUMENT... -- COMMAND... : samples the command, or such a process where the profiler cannot follow a
# command.
of_command() {
  if [ -e /out/commands ]; then
    probe "$@"
  else
    arguments=
    for argument; do
      if [ "$argument" = -- ]; then break; fi
      arguments="$arguments $argument"
    done
    of_process $arguments 1
  fi
}

# A file system on a disk, and another cgroup, so that there are cgroup switches. The kernel enables perf events for a
# group only with another controller.
mke2fs /dev/vdb && mkdir /disk && mount -t ext4 /dev/vdb /disk
cp /usr/sbin/profile /disk/profile
echo +pids >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/busy
echo $$ >/sys/fs/cgroup/busy/cgroup.procs

probe list-events --list-events
awk '
  /^[A-Z]/ { of_all = "-" }
  /^ +none of them here: / { of_all = /no hardware counters/ ? "counters" : "missing" }
  /^  [^ ]/ { if (name) print name, missing; name = $1; sub(/,$/, "", name); missing = of_all }
  /^ +not here: / { missing = /no hardware counters/ ? "counters" : "missing" }
  END { print name, missing }' /out/list-events.out >/out/events

# So many rounds that the computing takes many ticks of any clock.
many=$((20 * rounds))
without_counters=0
while read -r event missing; do
  asked=$event how='' turns=$rounds
  case $event in
    uprobe:*) asked=uprobe:/work/busybody:allocate ;;
    SYSTEM:EVENT) asked=sched:sched_switch ;;
    CACHE-OPERATIONS) asked=L1-dcache-loads ;;
    rNNNN) asked=r01c2 ;;
    *-faults | *-switches | *-migrations) how="-c 1" ;;
    *-clock | wall) how="-F 997" turns=$many ;;
  esac
  # All hardware events are missing for the same reason, so one is enough.
  if [ $missing = counters ]; then
    without_counters=$((without_counters + 1))
    if [ $without_counters -gt 1 ]; then continue; fi
  fi
  set -- busybody /disk/file "$turns" 60
  if [ "$event" = cpu-migrations ] && [ "$(nproc)" != 1 ]; then
    # shellcheck disable=SC2016
    set -- /bin/sh -c 'for i in 1 2 3; do taskset -p 1 $$; taskset -p 2 $$; done >/dev/null'
  elif [ "$event" = major-faults ]; then
    sync
    echo 3 >/proc/sys/vm/drop_caches
    set -- /disk/profile --version
  fi
  of_command "$event" -v -e $asked $how -f -- "$@"
done </out/events

# The lean programs, which do not follow child processes; then the other options that change the programs.
of_process pid -v -F 997 -f 1
of_process comm -v -F 997 --comm 'busy*' -f 1
# Stacks that frame pointers cannot walk: by tables alone where possible.
unwind=cfi
$profile -q -U --unwind cfi 0.05 >/dev/null 2>&1 || unwind=auto
for shape in plain aligned many steep written swapped; do
  frameless $shape 60 &
  # Longer when a busy host delays the tables for more than a second.
  for seconds in 1 10; do
    probe walk-$shape -v --unwind $unwind -F 997 -U -f -a -p $! $seconds
    if [ $unwind != cfi ] || grep -q ';main;' /out/walk-$shape.out; then break; fi
  done
  kill $!
done
# Functions of a script, while its program does what it does forever.
if [ -e /work/mix.py ]; then
  python3.11 /work/mix.py 40 &
  sleep 10
  probe script -v -F 997 -U -f -a --max-stack-depth 512 -p $! 10
  kill $!
fi
of_process pid-tracepoint -v -e sched:sched_switch -f 2
of_process pid-uprobe -v -e uprobe:/work/busybody:allocate -f 2
of_process pid-off-cpu -v -e off-cpu -f 2
probe command -v -F 997 -f -- busybody /disk/file "$many" 60
of_command malloc-live -v -e malloc --live -f -- busybody /disk/file "$rounds" 60
of_command syscalls-latency -v -e syscalls --latency --failed -- busybody /disk/file "$rounds" 60
of_command off-cpu-state -v -e off-cpu --state interruptible -f -- busybody /disk/file "$rounds" 60
of_command off-cpu-waker -v -e off-cpu --waker -f -- busybody /disk/file "$rounds" 60
of_command rivals-syscalls -v -e syscalls -f -- rivals 3
of_command rivals-futex -v -e futex --format counted -- rivals 3
of_command wall-stream -e wall --stream=folded -- busybody /disk/file "$many" 60
busybody /disk/file 60 &
probe cgroup -v -F 997 --cgroup /sys/fs/cgroup/busy -f 1
probe kernel -F 499 -K -f 1
kill $!
su -s /bin/sh nobody -c "$profile -f 0.1" >/dev/null 2>/out/unprivileged.err
echo $? >/out/unprivileged.status

# What a run takes for its CPUs: kilobytes in BPF maps that each has of its own (types 5 and 6) and in rings, and
# descriptors. Only since 6.4 the kernel tells the true size of such maps.
$profile -q -F 49 -f 20 >/dev/null 2>&1 &
sleep 10
rings=$(awk '/^[0-9a-f]+-/ { is_ring = /perf_event/ } /^Size:/ && is_ring { all += $2 } END { print all + 0 }' /proc/$!/smaps)
# shellcheck disable=SC2010,SC2012 # find(1) of a guest does not print where links lead
descriptors=$(ls -l /proc/$!/fd | grep -c perf_event)
kernel=$(cat /proc/$!/fdinfo/* 2>/dev/null | awk '/^map_type:/ { is_of_cpus = $2 == 5 || $2 == 6 } /^memlock:/ && is_of_cpus { all += $2 } /^map_id:/ { is_of_cpus = 0 } END { print int(all / 1024) }')
echo "$kernel $rings $descriptors $(nproc)" >/out/cpu_costs
kill $!
wait $!

# The time from the start to the first sample.
began=$(now)
$profile --stream=folded -q -F 997 1 2>/dev/null | {
  read -r line
  [ "$line" ] && echo "$began $(now)" >/out/first
  cat >/dev/null
}
