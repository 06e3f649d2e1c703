#!/bin/bash
# For every event, :u samples only in programs, :k only in the kernel, and :uk in both.
source "$(dirname "$0")/sampling.bash"
burn reader 600
reader=$started
burn leaves 600
for pid in "$reader" "$started"; do wait_until is_at_work "$pid"; done

sample_enough 60 -a -e cpu-clock:u -F 499 -p "$reader,$started" 1
expect_present ';(heavy|light) '
expect_absent '_\[k\]'
sample_enough 60 -a -e cpu-clock:k -F 499 -p "$reader,$started" 1
expect_present ';(ksys_)?read.*_\[k\] '
expect_equal "$(folded_total '_\[k\] [0-9]+$')" "$recorded" "samples in the kernel"
sought=(';(heavy|light) ' '_\[k\] ')
sample_until is_seen -f -a -e task-clock:uk -F 499 -p "$reader,$started" 1
expect_folded_total

# Faults on pages that a program touches itself do not count as kernel faults.
sample -e page-faults:u -c 1 -o "$tmp/report.folded" -- "$WORKLOADS/faults" 20000 1 0 600
expect_equal "$(folded_total ';touch_pages ' "$tmp/report.folded")" 20000 "page faults in the program"
sample -e page-faults:k -c 1 -o "$tmp/report.folded" -- "$WORKLOADS/faults" 20000 1 0 600
expect_absent ';touch_pages' "$tmp/report.folded"

profile -e cpu-clock:x 1
expect_status 2
expect_err '^profile: -e cpu-clock:x: .*u \(user\), k \(kernel\)'
