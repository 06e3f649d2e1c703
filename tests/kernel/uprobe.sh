#!/usr/bin/env bash
# Every hit of a probed function is counted with its caller, wherever the program lies in memory: with or without its
# own frame, for all processes or one, and for every Nth hit.
source "$(dirname "$0")/sampling.bash"

# expect_hits TARGET FACTOR : checks the counts of hits.c in the folded lines. A static C library has no frames beyond
# that.
expect_hits() {
  expect_equal "$(folded_total ";main;first_caller;$1 ")" $((300 * $2)) "hits from first_caller"
  expect_equal "$(folded_total ";main;second_caller;$1 ")" $((200 * $2)) "hits from second_caller"
  expect_equal "$(folded_total ";thread_caller;$1 ")" $((200 * $2)) "hits from the two threads"
  expect_equal "$(folded_total .)" $((700 * $2)) "hits"
}

for program in hits hits.nopie hits.static; do
  for target in framed_target bare_target; do
    sample_folded -e "uprobe:$WORKLOADS/$program:$target" -- "$WORKLOADS/$program" 3
    expect_hits "$target" 3
  done
done

# A name with an "@" inside it, as compilers of some languages make, is no version.
LC_ALL=C sed 's/framed_target/framed@T#rget/g' "$WORKLOADS/hits" >"$tmp/hits"
chmod +x "$tmp/hits"
sample_folded -e "uprobe:$tmp/hits:framed@T#rget" -- "$tmp/hits" 1
expect_equal "$(folded_total ';framed@T#rget ')" 700 "hits of a function with an @ in its name"

# An address after the first instruction.
addresses=$(objdump -d --no-show-raw-insn --disassemble=framed_target "$WORKLOADS/hits" | grep -oE '^ +[0-9a-f]+:' | head -n 2)
read -r first second <<<"${addresses//[$'\n':]/ }"
sample_folded -e "uprobe:$WORKLOADS/hits:framed_target+$((0x$second - 0x$first))" -- "$WORKLOADS/hits" 1
expect_equal "$(folded_total ';framed_target ')" 700 "hits of the second instruction"

# Every Nth hit, with weight N: at the end at most N - 1 hits are missing.
sample -f -e "uprobe:$WORKLOADS/hits:framed_target" -c 9 -- "$WORKLOADS/hits" 10
expect_equal "$recorded" $((7000 / 9)) "samples by every ninth"
expect_equal "$(folded_total ';framed_target ')" $((7000 / 9 * 9)) "hits by every ninth"

# Only the selected one of two processes. The header names the probe.
burn hits 1 600
process=$started
burn hits 1 600
sought=("^    -  +hits \($process\)$")
sample_until is_seen -e "uprobe:$WORKLOADS/hits:bare_target" -p "$process" 1
expect_out "^Counting uprobe:.*/hits:bare_target of PID \[$process\] by user stack for [0-9.]+ secs\.$"
expect_no_out "\($started\)"
expect_equal "$(counted_total)" "$recorded" "total of the counted rows"
expect_equal "$filtered" 0 "hits of others"
# By thread, although the probe is in all processes.
sought=('main;first_caller;bare_target')
is_seen_beside_others() { is_seen && ((filtered > 0)); }
sample_until is_seen_beside_others -e "uprobe:$WORKLOADS/hits:bare_target" -L "$process" -f 1
expect_absent thread_caller
((filtered > 0)) || fail "the other process and the threads were not seen: $(outcome)"

# By the short name of a library; with -p, the library that the process has mapped.
sought=('main;usleep ')
sample_until is_seen -f -e uprobe:libc:usleep -p "$process" 1
sample -e uprobe:libc.so.6:usleep -f -o "$tmp/run.folded" -- "$WORKLOADS/locker"
expect_equal "$(folded_total ';usleep ' "$tmp/run.folded")" 30 "calls of usleep"

# A process whose cgroup is at its memory limit does not stop the probe for others. The kernel kills that process, or it
# has ended.
if make_small_group 0; then
  start sleep 600
  echo "$started" >"$small_group/cgroup.procs"
  sample -e uprobe:libc:usleep -f -o "$tmp/run.folded" -- "$WORKLOADS/locker"
  expect_equal "$(folded_total ';usleep ' "$tmp/run.folded")" 30 "calls of usleep beside a group without memory"
fi
