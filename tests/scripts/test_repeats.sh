#!/bin/bash
# scripts/test runs once more what measures and failed, and nothing else: a test of another kind that passes every second time
# has failed. Its arguments choose among all tests, and one that chooses none fails as before.
source "$(dirname "$0")/checkout.bash"
need_root
need_command ctest
make_checkout "$tmp/checkout"
script=$tmp/checkout/scripts/test

# Each test fails at first, and passes from the time on that its name says.
cat >"$tmp/attempt" <<'SCRIPT'
#!/bin/bash
echo "$1" >>"$RECORDS/attempts"
(($(grep -cx "$1" "$RECORDS/attempts") >= ${1##*_}))
SCRIPT
chmod +x "$tmp/attempt"
for build in build-test build-sanitize; do
  mkdir "$tmp/checkout/$build"
  for name in unit.at_1 unit.at_2 fuzz.at_2 kernel.at_1 kernel.at_2 kernel.at_3 cli.at_2; do
    printf 'add_test(%s "%s" "%s")\nset_tests_properties(%s PROPERTIES LABELS %s)\n' $name "$tmp/attempt" \
      "$build.$name" $name ${name%%.*}
  done >"$tmp/checkout/$build/CTestTestfile.cmake"
done

# attempts STATUS COUNTS [ARGUMENT...] : how often each of what these arguments choose was run in each build, and what came of it.
attempts() {
  rm -f "$tmp/attempts"
  run_script "${@:3}"
  expect_status "$1"
  [[ -e $tmp/attempts ]] || : >"$tmp/attempts"
  for build in build-test build-sanitize; do
    expect_equal "$(sed -n "s/^$build\\.//p" "$tmp/attempts" | sort | uniq -c | awk '{ printf "%s:%s ", $2, $1 }')" "$2" "attempts of '${*:3}'"
  done
}
attempts 0 'unit.at_1:1 ' -R 'unit.at_1'
attempts 0 'kernel.at_1:1 kernel.at_2:2 ' -R 'kernel.at_[12]'
expect_out '^== build-test once more: kernel.at_2$'
attempts 1 'kernel.at_2:2 kernel.at_3:2 ' -R 'kernel.at_[23]'
attempts 0 'cli.at_2:2 ' -L cli
attempts 1 'unit.at_1:1 unit.at_2:1 ' -L unit
attempts 1 'fuzz.at_2:1 kernel.at_2:2 unit.at_2:1 ' -R at_2 -E cli
attempts 1 'cli.at_2:2 fuzz.at_2:1 kernel.at_1:1 kernel.at_2:2 kernel.at_3:2 unit.at_1:1 unit.at_2:1 '
# Who says himself how often is taken at his word.
attempts 1 'kernel.at_2:1 ' -R kernel.at_2 --repeat until-fail:3
attempts 1 '' -R nothing --no-tests=error
