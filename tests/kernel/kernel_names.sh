#!/bin/bash
# A run asks the kernel only for the names of sampled addresses. It does not read the whole list, which takes longer
# than everything else at the end of a short run. (differential/kernel_names checks that both give the same names.)
source "$(dirname "$0")/sampling.bash"

burn reader 600
wait_until is_at_work "$started"
told='^kernel names: ([0-9]+) asked for, the list read ([0-9]+) times?$'
of_run() {
  # The tests beside this one unload BPF programs that may be in its stacks. Only the list could still name those, so
  # a run that met one is repeated.
  for _ in {1..5}; do
    sample_enough 40 -v -K -F 999 -p "$started" "$@"
    [[ $(grep -E "$told" "$tmp/err") =~ $told ]] || fail "no word of kernel names; $(outcome)"
    asked=${BASH_REMATCH[1]} read=${BASH_REMATCH[2]}
    expect_share ';vfs_read(;| )' 50 100
    if ((asked == 0 || read == 0)); then return; fi
  done
}

of_run 0.2
if ((asked == 0)); then
  # A kernel before 5.14 prints no names for BPF programs.
  [[ $(uname -r) =~ ^([0-9]+)\.([0-9]+) ]]
  ((BASH_REMATCH[1] * 100 + BASH_REMATCH[2] < 514)) || fail "the kernel was not asked"
  expect_equal "$read" 1 "readings of the list"
else
  expect_equal "$read" 0 "readings of the list"
fi
# The same in a run that is long enough to prepare names early.
of_run 1.2
expect_equal "$read" $((asked == 0)) "readings of the list"
