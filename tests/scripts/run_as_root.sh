#!/bin/bash
# scripts/run passes arguments, stdin and exit status to the profiler unchanged, and prints nothing on stdout itself.
source "$(dirname "$0")/checkout.bash"
need_root
make_checkout "$tmp/a checkout"

run_script --folded 'two words' '*' '' -- '--x'
expect_status 9
expect_equal "$(cat "$tmp/out")" "$(printf '[%s]\n' --folded 'two words' '*' '' -- --x)" stdout
expect_err 'run: building in '
grep -q 'talks on stdout' "$tmp/a checkout/build/run.log" || fail "what the build printed is not in its log; $(outcome)"

# The second run configures nothing and prints nothing, and the working directory does not matter.
cd / || exit 1
run_script
expect_status 9
expect_silence err
expect_equal "$(grep -c -e --fresh "$tmp/cmake.calls")" 1 "times configured"
expect_equal "$(wc -c <<<"$(printf 'some input' | "$script" --read-stdin 2>/dev/null)")" 11 "bytes of stdin passed on"

# A checkout that was moved is configured again.
mv "$tmp/a checkout" "$tmp/moved"
script=$tmp/moved/scripts/run
run_script
expect_status 9
expect_equal "$(grep -c -e --fresh "$tmp/cmake.calls")" 2 "times configured"
