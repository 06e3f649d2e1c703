#!/bin/bash
# --cgroupmap samples exactly the cgroups whose ids are keys of a pinned map at that moment.
source "$(dirname "$0")/sampling.bash"
need_command findmnt
PATH=$PATH:/usr/sbin
hierarchy=$(findmnt -t cgroup2 -n -o TARGET | head -n 1)
[[ $hierarchy ]] || skip "no cgroup v2 hierarchy is mounted here"
mount_bpffs

group=$hierarchy/profile-test.$$
mkdir -p "$group/below" "$group.late" 2>/dev/null || skip "no cgroup can be made below $hierarchy"
at_exit "rmdir '$group/below' '$group' '$group.late'"

burn leaves 600
leaves=$started
echo "$started" >"$group/cgroup.procs" || skip "no process can be put into a cgroup here"
burn leaves.nopie 600
below=$started
echo "$started" >"$group/below/cgroup.procs"
burn reader 600
late=$started
echo "$late" >"$group.late/cgroup.procs"
burn leaves.static 600

# The id of a cgroup is the inode of its directory.
member() { add_member "$1" "$(stat -c %i "$2")" "${@:3}"; }

bpftool map create "$tmp/bpffs/wanted" type hash key 8 value 4 entries 16 name wanted
member "$tmp/bpffs/wanted" "$group" 0 0 0 0
sample_enough 100 -F 499 --cgroupmap "$tmp/bpffs/wanted" 0.6
expect_share '^leaves;.*main;outer;middle;(heavy|light)' 90 100
expect_share '^leaves;' 100 100

kill "$below" "$started"
# A member that is added during the run is sampled from then on.
begin_counted -F 499 --cgroupmap "$tmp/bpffs/wanted" -o - -o "$tmp/late.folded" 600
member "$tmp/bpffs/wanted" "$group.late" 0 0 0 0
let_work "$late" 20
let_work "$leaves" 20
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_folded_total "$tmp/late.folded"
expect_present '^leaves;' "$tmp/late.folded"
expect_present '^reader;' "$tmp/late.folded"
expect_share '^(leaves|reader);' 100 100 "$tmp/late.folded"

# The size of the values does not matter. An empty map selects no process.
burn leaves.nopie 600
echo "$started" >"$group/below/cgroup.procs"
bpftool map create "$tmp/bpffs/wide" type hash key 8 value 16 entries 16 name wide
sample_folded -F 499 --cgroupmap "$tmp/bpffs/wide" 0.3
expect_equal "$recorded" 0 "samples with an empty map"
member "$tmp/bpffs/wide" "$group/below" 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
sample_enough 60 -F 499 --cgroupmap "$tmp/bpffs/wide" 0.4
expect_share '^leaves.nopie;' 100 100

refused_maps --cgroupmap
