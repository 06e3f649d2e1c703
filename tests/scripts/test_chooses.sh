#!/bin/bash
# scripts/test runs each test once, and in the sanitized build only the tests for it, unless --all asks for more.
# Arguments select tests, a failed test gives a failure, and a part that passed at a commit is not repeated.
source "$(dirname "$0")/checkout.bash"
need_root
need_command ctest git
export PROFILE_INNER_SUITE=1
make_checkout "$tmp/checkout"
script=$tmp/checkout/scripts/test

# A passing and a failing test of each kind. Tests with a set run only with -C all, the room's tests with -C rooms.
for build in build-test build-sanitize; do
  mkdir "$tmp/checkout/$build"
  for name in unit.good unit.bad fuzz.good kernel.good kernel.bad kernel.slow/measured cli.page/browser room.unit/rooms; do
    labels=${name%%.*}
    if [[ $name == */* ]]; then labels+=";${name#*/}"; fi
    # shellcheck disable=SC2016
    test=$(printf 'add_test(%s "/bin/bash" "-c" "echo %s >>$RECORDS/%s; [[ %s != *.bad || -e $RECORDS/mended ]]")\nset_tests_properties(%s PROPERTIES LABELS "%s")' \
      "${name%/*}" "${name%/*}" $build "${name%/*}" "${name%/*}" "$labels")
    condition=all
    if [[ $name == */rooms ]]; then condition=rooms; fi
    if [[ $name == */* ]]; then test="if(CTEST_CONFIGURATION_TYPE STREQUAL \"$condition\")"$'\n'"$test"$'\n'"endif()"; fi
    printf '%s\n' "$test"
  done >"$tmp/checkout/$build/CTestTestfile.cmake"
done

# ran STATUS NORMAL SANITIZED [ARGUMENT...] : checks which tests the arguments select in each build, and the exit
# status.
ran() {
  local build
  for build in build-test build-sanitize; do : >"$tmp/$build"; done
  run_script "${@:4}"
  expect_status "$1"
  expect_equal "$(sort "$tmp/build-test" | tr '\n' ' ')" "$2" "tests of '${*:4}'"
  expect_equal "$(sort "$tmp/build-sanitize" | tr '\n' ' ')" "$3" "sanitized tests of '${*:4}'"
}
gate='fuzz.good kernel.bad kernel.good '
ran 1 "$gate" 'fuzz.good room.unit '
ran 0 'kernel.good unit.good ' 'unit.good ' good -E fuzz
ran 0 'kernel.slow ' '' slow
ran 0 'kernel.slow ' '' kernel.slow
ran 1 'kernel.bad ' '' -R kernel.bad
ran 1 'unit.bad unit.good ' 'unit.bad unit.good ' -L unit
ran 0 'cli.page ' '' --all browser
ran 1 'unit.bad unit.good ' '' --all unit
ran 1 "$gate" 'fuzz.good room.unit ' --all gate
run_script --all nothing
expect_status 1
expect_err 'its parts are gate unit long measured browser'
# Only the targets that the tests need are built.
expect_out_of() { expect_equal "$(grep -c -- "--target $1" "$tmp/cmake.calls")" "$2" "builds of $1"; }
expect_out_of 'unit_tests fuzz_replay' 4
expect_out_of 'all unit_tests' 3

# A part that passed is skipped at the same commit, and only there.
touch "$tmp/mended"
git -C "$tmp/checkout" init -q
printf '/build-*\n' >"$tmp/checkout/.gitignore"
commit() { git -C "$tmp/checkout" add -A && git -C "$tmp/checkout" -c user.name=a -c user.email=b commit -q --allow-empty -m "$1"; }
commit first
ran 0 'cli.page kernel.slow ' '' --all browser measured
ran 0 "$gate" 'fuzz.good room.unit ' --all browser measured gate
ran 0 '' '' --all browser measured gate
commit second
ran 0 'cli.page ' '' --all browser
touch "$tmp/checkout/changed"
ran 0 'cli.page ' '' --all browser
