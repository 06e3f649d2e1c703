#!/bin/bash
# When the kernel hides its addresses, one line says why kernel functions have no names and how to get them; nothing else
# is different.
source "$(dirname "$0")/sampling.bash"
need_command setpriv
hidden=/proc/sys/kernel/kptr_restrict
# Not 2, which a run that was killed here has left.
at_exit "echo $(($(<$hidden) == 0 ? 0 : 1)) >$hidden"
echo 0 >$hidden
burn reader 600
reader=$started
wait_until is_at_work "$reader"

# without_names COMMAND... : a run that has samples of the kernel, all nameless.
without_names() {
  run "$@" -f -a -F 499 -p "$reader" 0.5
  expect_status 0
  expect_balance
  expect_folded_total
  expect_equal "$(grep -c 'kptr_restrict' "$tmp/err")" 1 "lines about kptr_restrict"
  expect_share ';main;drain_zero;(\[[^;]+\]_\[k\](;| ))+' 90 100
  expect_absent 'vfs_read'
}
with_names() {
  run "$@" -f -F 499 -p "$reader" 0.5
  expect_status 0
  expect_no_err kptr_restrict
  expect_share ';ksys_read;vfs_read(;| )' 90 100
}

echo 2 >$hidden
without_names "$PROFILE"
expect_err 'kptr_restrict is 2'
echo 1 >$hidden
with_names "$PROFILE"
without_names setpriv --bounding-set=-syslog --inh-caps=-syslog "$PROFILE"
expect_err 'kptr_restrict is 1.*cap_syslog'
echo 0 >$hidden
with_names "$PROFILE"

# Who does not want kernel stacks need not be told.
echo 2 >$hidden
sample_folded -U -F 499 -p "$reader" 0.3
expect_no_err kptr_restrict
