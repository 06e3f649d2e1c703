#!/bin/bash
# scripts/run can build: it compiles several sources at a time, so two sources of a room must not define the same name.
# The tests' own build compiles them one by one. Without optimisation this takes a minute.
source "$(dirname "$0")/../lib.sh"
need_command cmake ninja

build=$tmp/build
settings=$(sed -n 's/.*settings=(\(-D.*\));.*/\1/p' "$SOURCE_DIR/scripts/run")
[[ $settings == *QUICK* ]] || fail "scripts/run does not say how it builds"
# shellcheck disable=SC2086
run cmake -G Ninja -S "$SOURCE_DIR" -B "$build" -DCMAKE_BUILD_TYPE=Debug $settings
expect_status 0
grep -q unity "$build/build.ninja" || fail "it compiles the sources one by one"
run cmake --build "$build" --target profile
expect_status 0
run "$build/profile" --version
expect_status 0
expect_out '^profile [0-9.]+$'
