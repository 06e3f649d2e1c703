#!/bin/bash
# The figures of README.md are those of tests/bench/README.md.
source "$(dirname "$0")/../lib.sh"
need_command python3

run python3 "$SOURCE_DIR/tests/bench/summary.py"
expect_status 0
[[ $(tr -s ' \n' ' ' <"$SOURCE_DIR/README.md") == *"$(tr -s ' \n' ' ' <"$tmp/out")"* ]] ||
  fail "the figures of README.md are of another run than tests/bench/README.md; tests/bench/summary.py prints these: $(cat "$tmp/out")"
