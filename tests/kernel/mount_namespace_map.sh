#!/bin/bash
# --mntnsmap samples only the mount namespaces whose inodes are keys of a pinned map.
source "$(dirname "$0")/sampling.bash"
need_command unshare
PATH=$PATH:/usr/sbin
mount_bpffs

is_elsewhere() { [[ $(readlink "/proc/$1/ns/mnt") != $(readlink /proc/self/ns/mnt) && $(cat "/proc/$1/comm") == *.apart ]]; }
inode_of() { stat -L -c %i "/proc/$1/ns/mnt"; }
# Under names that no other test's programs have.
cp "$WORKLOADS/leaves" "$tmp/one.apart"
cp "$WORKLOADS/leaves.nopie" "$tmp/two.apart"
start unshare --mount "$tmp/one.apart" 600
wait_until is_elsewhere "$started"
first=$started
start unshare --mount "$tmp/two.apart" 600
wait_until is_elsewhere "$started"
second=$started
burn leaves.static 600

bpftool map create "$tmp/bpffs/wanted" type hash key 8 value 4 entries 16 name wanted
add_member "$tmp/bpffs/wanted" "$(inode_of "$first")" 0 0 0 0
sample_enough 100 -F 499 --mntnsmap "$tmp/bpffs/wanted" 0.6
expect_share '^one.apart;.*main;outer;middle;(heavy|light)' 90 100
expect_share '^one.apart;' 100 100

kill "$started"
begin_counted -F 499 --mntnsmap "$tmp/bpffs/wanted" -o - -o "$tmp/late.folded" 600
add_member "$tmp/bpffs/wanted" "$(inode_of "$second")" 0 0 0 0
let_work "$first" 10
let_work "$second" 10
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_folded_total "$tmp/late.folded"
expect_present '^two.apart;' "$tmp/late.folded"
expect_share '^(one|two).apart;' 100 100 "$tmp/late.folded"

burn leaves.static 600
bpftool map create "$tmp/bpffs/own" type hash key 8 value 16 entries 16 name own
add_member "$tmp/bpffs/own" "$(inode_of self)" 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
own=$started
begin -F 499 --mntnsmap "$tmp/bpffs/own" -o - -o "$tmp/own.folded"
wait_until has_begun
let_work "$own" 10
kill -INT "$profiler"
finish
expect_status 0
expect_balance
mv "$tmp/own.folded" "$tmp/out"
expect_present '^leaves.static;'
expect_absent '^(one|two).apart;'

refused_maps --mntnsmap
