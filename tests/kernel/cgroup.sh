#!/bin/bash
# --cgroup samples a cgroup and all cgroups below it, and nothing else.
source "$(dirname "$0")/sampling.bash"
need_command findmnt
hierarchy=$(findmnt -t cgroup2 -n -o TARGET | head -n 1)
[[ $hierarchy ]] || skip "no cgroup v2 hierarchy is mounted here"

group=$hierarchy/profile-test.$$
mkdir -p "$group/below" 2>/dev/null || skip "no cgroup can be made below $hierarchy"
at_exit "rmdir '$group/below' '$group'"

burn leaves 600
echo "$started" >"$group/cgroup.procs" || skip "no process can be put into a cgroup here"
burn leaves.nopie 600
echo "$started" >"$group/below/cgroup.procs"
burn leaves.static 600

sample_until 'is_seen ^leaves;.*main;outer;middle;heavy ^leaves.nopie;.*main;outer;middle;heavy' -f -F 499 --cgroup "$group" 0.6
expect_share '^leaves(\.nopie)?;' 100 100

sample_enough 60 -F 499 --cgroup "$group/below" 0.4
expect_share '^leaves.nopie;' 100 100

# Several filters apply together.
sample_folded -F 499 --cgroup "$group" -p "$started" 0.3
expect_equal "$recorded" 0 "samples of a process outside"

for path in "$tmp" "$group/absent" /dev/null; do
  profile --cgroup "$path" 1
  expect_status 1
  expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
  expect_err "^profile: --cgroup $path: "
  expect_silence out
done
