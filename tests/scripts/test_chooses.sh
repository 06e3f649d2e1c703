#!/bin/bash
# scripts/test runs each test once, in the sanitized build just what it is for unless --all says otherwise; its arguments choose
# among them, and a test that fails has failed.
source "$(dirname "$0")/checkout.bash"
need_root
need_command ctest
make_checkout "$tmp/checkout"
script=$tmp/checkout/scripts/test

for build in build-test build-sanitize; do
  mkdir "$tmp/checkout/$build"
  for name in unit.good unit.bad fuzz.good kernel.good kernel.bad; do
    # shellcheck disable=SC2016
    printf 'add_test(%s "/bin/bash" "-c" "echo %s >>$RECORDS/%s; [[ %s == *.good ]]")\nset_tests_properties(%s PROPERTIES LABELS %s)\n' \
      $name $name $build $name $name ${name%%.*}
  done >"$tmp/checkout/$build/CTestTestfile.cmake"
done

# ran STATUS NORMAL SANITIZED [ARGUMENT...] : what these arguments choose in each build, and what comes of it.
ran() {
  local build
  for build in build-test build-sanitize; do : >"$tmp/$build"; done
  run_script "${@:4}"
  expect_status "$1"
  expect_equal "$(sort "$tmp/build-test" | tr '\n' ' ')" "$2" "tests of '${*:4}'"
  expect_equal "$(sort "$tmp/build-sanitize" | tr '\n' ' ')" "$3" "sanitized tests of '${*:4}'"
}
all='fuzz.good kernel.bad kernel.good unit.bad unit.good '
ran 1 "$all" 'fuzz.good unit.bad unit.good '
ran 1 "$all" "$all" --all
ran 0 'kernel.good ' '' -R kernel.good
ran 0 'kernel.good ' 'kernel.good ' --all -R kernel.good
ran 1 'kernel.bad ' '' -R kernel.bad
ran 1 'unit.bad unit.good ' 'unit.bad unit.good ' -L unit
ran 0 'fuzz.good unit.good ' 'fuzz.good unit.good ' -L 'unit|fuzz' -E bad
ran 1 '' '' -R nothing --no-tests=error
# What they are built of: no more than is run.
expect_equal "$(grep -c -- '--target unit_tests fuzz_replay' "$tmp/cmake.calls")" 6 "builds of a part"
expect_equal "$(grep -c -- '--target all fuzz_targets' "$tmp/cmake.calls")" 2 "builds that are for fuzzing"
