#!/bin/bash
# -C samples the CPUs it names and no other.
source "$(dirname "$0")/sampling.bash"
[[ -e /sys/devices/system/cpu/cpu1 && $(cat /sys/devices/system/cpu/online) == 0-* ]] || skip "there is only one CPU here"

burn pinned 0 600
burn pinned 1 600
sample_until 'is_seen ^on_cpu_1;.*main;burn_pinned' -f -F 499 -C 1 0.6
expect_absent '^on_cpu_0;'
sample_until 'is_seen ^on_cpu_1; ^on_cpu_0;' -f -F 499 -C 0,1 0.6
sample_until 'is_seen ^on_cpu_0;' -f -F 499 -C 0 -o - -o "$tmp/a.txt" 0.8
cp "$tmp/a.txt" "$tmp/out"
expect_out ' on CPU#0 for [0-9.]+ secs\.$'
expect_out '^    -                on_cpu_0 '
expect_no_out 'on_cpu_1'
expect_err ' on 1 CPU:'
