#!/bin/bash
# --mntnsmap samples the mount namespaces whose inodes are keys of a pinned map, and no other.
source "$(dirname "$0")/sampling.bash"
need_command unshare
PATH=$PATH:/usr/sbin
mount_bpffs

is_elsewhere() { [[ $(readlink "/proc/$1/ns/mnt") != $(readlink /proc/self/ns/mnt) && $(cat "/proc/$1/comm") == leaves* ]]; }
inode_of() { stat -L -c %i "/proc/$1/ns/mnt"; }
start unshare --mount "$WORKLOADS/leaves" 20
wait_until is_elsewhere "$started"
first=$started
start unshare --mount "$WORKLOADS/leaves.nopie" 20
wait_until is_elsewhere "$started"
second=$started
burn leaves.static 60

bpftool map create "$tmp/bpffs/wanted" type hash key 8 value 4 entries 16 name wanted
add_member "$tmp/bpffs/wanted" "$(inode_of "$first")" 0 0 0 0
sample_folded -F 499 --mntnsmap "$tmp/bpffs/wanted" 0.6
expect_share '^leaves;.*main;outer;middle;(heavy|light)' 90 100
expect_share '^leaves;' 100 100

kill "$started"
begin_counted -F 499 --mntnsmap "$tmp/bpffs/wanted" -o - -o "$tmp/late.folded" 2
add_member "$tmp/bpffs/wanted" "$(inode_of "$second")" 0 0 0 0
finish
expect_status 0
expect_balance
expect_folded_total "$tmp/late.folded"
expect_present '^leaves.nopie;' "$tmp/late.folded"
expect_share '^leaves(.nopie)?;' 100 100 "$tmp/late.folded"

burn leaves.static 60
bpftool map create "$tmp/bpffs/own" type hash key 8 value 16 entries 16 name own
add_member "$tmp/bpffs/own" "$(inode_of self)" 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
sample_folded -F 499 --mntnsmap "$tmp/bpffs/own" 0.5
expect_present '^leaves.static;'
expect_absent '^leaves(.nopie)?;'

refused_maps --mntnsmap
