#!/bin/bash
# Java's methods stand in the stacks of every event, with every collector, and by their perf map as without it.
source "$(dirname "$0")/scripts.bash"
need_command javac
need_command java
need_command jcmd
mkdir "$tmp/classes"
javac -nowarn -d "$tmp/classes" "$scripts/Mix.java" "$scripts/Churn.java" "$scripts/Events.java" 2>"$tmp/err" || fail "javac"
java=(java -cp "$tmp/classes" -Xmx256m)
has_layout java "${java[@]}" -Xint Mix 40 || skip "this Java is not known: $(cat "$tmp/languages")"

for collector in Serial Parallel G1 Z Shenandoah; do
  # Not every build has each of them.
  "${java[@]}" "-XX:+Use${collector}GC" -version >"$tmp/version" 2>&1 || continue
  begin_script "${java[@]}" "-XX:+Use${collector}GC" Mix 40
  sample_enough 60 -F 499 -U -a --max-stack-depth 512 -p "$started" 1
  check_mix "$tmp/out" 40 java
  ((10 * right >= 9 * (of - other))) || fail "$collector: $right right of $of, $other of other threads; $(outcome)"
  kill "$started"
  begin_script "${java[@]}" "-XX:+Use${collector}GC" Churn 5
  sample_enough 40 -F 499 -U -a -p "$started" 2
  expect_churn "$tmp/out" 1
  kill "$started"
done

# By thread, as Java calls it, and by the method that waits, allocates or computes.
begin_script "${java[@]}" Events
lock='Events\.takeLock_\[s\];java\.util\.concurrent\.locks\.ReentrantLock\.lock_\[s\];'
for event in off-cpu wall futex; do
  sample -f -a -e "$event" -p "$started" 2
  expect_present "^locker-[01];.*;$lock"
  if [[ $event == futex ]]; then continue; fi
  expect_present '^locker-[01];.*;Events\.hold_\[s\];java\.lang\.Thread\.sleep'
  expect_present '^enterer-[01];.*;Events\.enterMonitor_\[s\];.*;ObjectMonitor::enter'
done
sample -f -a -e wall -p "$started" 2
expect_present '^computer;.*;Events\.compute_\[s\]'
sample -f -a -e malloc -p "$started" 2
expect_present '^allocator;.*;Events\.allocate_\[s\];java\.nio\.ByteBuffer\.allocateDirect_\[s\];'
kill "$started"

# By its perf map, the code that computes has the name that it has without one.
begin_script "${java[@]}" -XX:+PreserveFramePointer Events
pause 2
jcmd "$started" Compiler.perfmap >"$tmp/jcmd" || fail "jcmd"
for languages in java none; do
  sample_enough 60 -F 499 -U --languages "$languages" -p "$started" 1
  of=$(folded_total '^computer;' "$tmp/out")
  right=$(folded_total '^computer;.*[; ]Events\.compute(\(\))? ' "$tmp/out")
  ((of > 0 && 20 * right >= 19 * of)) || fail "--languages $languages: $right of $of in compute; $(outcome)"
done
