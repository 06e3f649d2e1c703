#!/bin/bash
# scripts/run hands the profiler its arguments, its stdin and its exit status untouched, and writes nothing to stdout itself.
source "$(dirname "$0")/checkout.bash"
need_root
make_checkout "$tmp/a checkout"

run_script --folded 'two words' '*' '' -- '--x'
expect_status 9
expect_equal "$(cat "$tmp/out")" "$(printf '[%s]\n' --folded 'two words' '*' '' -- --x)" stdout
expect_err 'run: building in '
grep -q 'talks on stdout' "$tmp/a checkout/build/run.log" || fail "what the build printed is not in its log; $(outcome)"

# The second time nothing is configured, nothing is said, and another current directory changes nothing.
cd / || exit 1
run_script
expect_status 9
expect_silence err
expect_equal "$(grep -c -e --fresh "$tmp/cmake.calls")" 1 "times configured"
expect_equal "$(wc -c <<<"$(printf 'some input' | "$script" --read-stdin 2>/dev/null)")" 11 "bytes of stdin passed on"

# A checkout that was moved is configured afresh.
mv "$tmp/a checkout" "$tmp/moved"
script=$tmp/moved/scripts/run
run_script
expect_status 9
expect_equal "$(grep -c -e --fresh "$tmp/cmake.calls")" 2 "times configured"
