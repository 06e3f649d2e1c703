#!/bin/bash
# --help and --version print to stdout with exit status 0, whatever else is on the command line.
source "$(dirname "$0")/../lib.sh"

for arguments in --help -h '-p 1 --help' '--help -- false' '-fh'; do
  # shellcheck disable=SC2086
  profile $arguments
  expect_status 0
  expect_silence err
  expect_out '^usage: profile \[record\] \[options\] \[DURATION \| -- COMMAND \[ARG\.\.\.\]\] \| profile report\|diff FILE\.\.\. \| store\|serve URL$'
done
# The common options and what is beside them fit on two screens, and --help all has the others, too.
profile --help
expect_between "$(wc -l <"$tmp/out")" 50 100 "lines of --help"
expect_out '^ +-p, --pid LIST '
expect_no_out '^ +--unwind '
expect_out '^profile --help all also names [0-9]+ options'
common=$(grep -Ec '^ +(-., +)?--[a-z]' "$tmp/out")
more=$(sed -nE 's/.*also names ([0-9]+) options.*/\1/p' "$tmp/out")
profile --help all
expect_status 0
expect_equal "$(grep -Ec '^ +(-., +)?--[a-z]' "$tmp/out")" $((common + more)) "options of --help all"

# Every option, with its short form beside its long one, and the default values.
for option in '-p, --pid' '-L, --tid' '-C, --cpu' --comm --cgroup --cgroupmap --mntnsmap '-I, --include-idle' '-F, --frequency' \
  '-c, --count' '-U, --user-stacks-only' '-K, --kernel-stacks-only' '-d, --delimited' '-a, --annotations' '-A, --address' \
  '-f, --folded' '-r, --residency' '-o, --output' --format --hash-storage-size --stack-storage-size --max-stack-depth --unwind \
  '-i, --interval' '-q, --quiet' '-v, --verbose' '-h, --help' --version; do
  expect_out "^ +$option "
done
expect_out 'default 49'
expect_out 'default 40960'
expect_out 'default 16384'
expect_out 'default 127'
expect_out '256 where tables are used'
for format in counted folded residency; do expect_out "^ +$format "; done
awk 'length > 120 { exit 1 }' "$tmp/out" || fail "a line of --help is longer than 120"

profile --version
expect_status 0
expect_silence err
expect_out '^profile [0-9]+\.[0-9]+'
expect_equal "$(wc -l <"$tmp/out")" 1 "lines of --version"

# An output that cannot be written is an error.
"$PROFILE" --help >/dev/full 2>"$tmp/err"
status=$?
expect_status 1
