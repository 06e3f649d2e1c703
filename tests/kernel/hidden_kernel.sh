#!/bin/bash
# When the kernel hides its addresses, one line says why kernel functions have no names and how to get them. Nothing
# else changes.
source "$(dirname "$0")/sampling.bash"
need_command setpriv
hidden=/proc/sys/kernel/kptr_restrict
# Never restores 2, because a killed run of this test may have left that value.
at_exit "echo $(($(<$hidden) == 0 ? 0 : 1)) >$hidden"
echo 0 >$hidden
burn reader 600
reader=$started
wait_until is_at_work "$reader"

# without_names COMMAND... : runs the profiler behind COMMAND; its kernel samples have no names.
without_names() {
  ahead=("$@")
  sample_work "$reader" 40 -a -F 999
  expect_equal "$(grep -c 'kptr_restrict' "$tmp/err")" 1 "lines about kptr_restrict"
  expect_share ';main;drain_zero;(\[[^;]+\]_\[k\](;| ))+' 90 100
  expect_absent 'vfs_read'
}
with_names() {
  ahead=()
  sample_work "$reader" 40 -F 999
  expect_no_err kptr_restrict
  expect_share ';ksys_read;vfs_read(;| )' 90 100
}

echo 2 >$hidden
without_names
expect_err 'kptr_restrict is 2'
echo 1 >$hidden
with_names
without_names setpriv --bounding-set=-syslog --inh-caps=-syslog
expect_err 'kptr_restrict is 1.*cap_syslog'
echo 0 >$hidden
with_names

# Without kernel stacks the line is not printed.
echo 2 >$hidden
ahead=()
sample_work "$reader" 10 -U -F 499
expect_no_err kptr_restrict
