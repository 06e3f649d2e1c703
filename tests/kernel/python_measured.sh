#!/bin/bash
# How much of Python's stacks is whole and right; shares of functions; two hundred short processes; functions that are
# made and freed for a minute.
source "$(dirname "$0")/scripts.bash"
has_layout python "$python" "$scripts/two.py" 60 || skip "this python is not known: $(cat "$tmp/languages")"

begin_script "$python" mix.py 40 threads
sample_enough 2000 -F 997 -U -a --max-stack-depth 512 -p "$started" 10
check_mix "$tmp/out" 40
expect_between "$(awk -v right="$right" -v of="$of" 'BEGIN { print 100 * right / of }')" 99.5 100 "per cent right of $of"
kill "$started"

begin_script "$python" churn.py
sample_enough 2000 -F 997 -U -a -p "$started" 60
expect_churn "$tmp/out" 100
kill "$started"

sample_folded -F 997 -U -- "$python" "$scripts/two.py" 6
two=$(folded_total ';two(;| )' "$tmp/out") alone=$(folded_total ';alone(;| )' "$tmp/out")
truth=$(sed -n 's/^two() : alone() = //p' "$tmp/err")
expect_between "$(awk -v two="$two" -v alone="$alone" -v truth="$truth" 'BEGIN { print two / alone / truth }')" 0.95 1.05 "two() : alone(), which took $truth by the clock"

# Each is named, although it has ended.
cat >"$tmp/brief.py" <<'END'
import time
def named_in_brief():
    end = time.monotonic() + 0.02
    while time.monotonic() < end:
        pass
named_in_brief()
END
sample_folded -F 997 -U -a -- bash -c 'for ((i = 0; i < 200; i++)); do "$0" "$1"; done' "$python" "$tmp/brief.py"
expect_absent '\[unknown\]_\[s\]'
expect_share ';named_in_brief_\[s\]' 5 100
expect_no_err 'found no room'
