#!/bin/bash
# --top on a terminal: the samples appear, the keys work, the size can change, and the terminal is restored at the end.
source "$(dirname "$0")/sampling.bash"
need_command python3
export TERM=vt100 LC_ALL=C.UTF-8

# top STEP... -- ARGUMENT... : tests/tools/top_terminal.py explains the steps. The last screen is in $tmp/out.
top() {
  local steps=()
  while [[ $1 != -- ]]; do steps+=("$1") && shift; done
  shift
  run python3 "$SOURCE_DIR/tests/tools/top_terminal.py" "${steps[@]}" -- "$PROFILE" "$@" --top
  cp "$tmp/out" "$tmp/err"
}

leaves=
burn_leaves() {
  if [[ $leaves ]]; then kill "$leaves"; fi
  burn leaves 600/3
  leaves=$started
  wait_until is_at_work "$leaves"
}
burn_leaves
burn reader 600/3
reader=$started

# A function has its known share in every table, and Esc restores the whole view.
top 'see:samples/s +[0-9]{3,} samples ' 'see: *[0-9.]+% +[0-9.]+% +[0-9]+ heavy +leaves$' "keep:$tmp/functions" \
  'press:s' 'see:100\.0% +[0-9]+ main' \
  'press:P' "see:100\\.0% +[0-9]+ +$leaves leaves" "keep:$tmp/processes" \
  'press:S' 'see: leaves +heavy ← middle ← outer ← main' \
  'press:\r' 'see:^ +heavy +leaves\n +middle +leaves\n +outer +leaves\n +main +leaves$' \
  'press:/light' 'gone:heavy' 'see: light ← middle' 'press:\e' 'see: heavy ←' \
  'press:h' 'see:Enter on a process' 'press:\e' 'gone:Enter on a process' \
  'press:\t' 'see:FUNCTION' 'press:q' -- -F 499 -p "$leaves"
expect_status 0
expect_balance
# As near to two thirds as chance allows, with the same tolerance as expect_near.
seen=$(sed -nE '2s/.*samples\/s  ([0-9]+) samples .*/\1/p' "$tmp/functions")
near=$(awk -v all="$seen" 'BEGIN { if (all < 60) exit 1; print 6.2 * sqrt(66.7 * 33.3 / all) + 0.8 }') || fail "too few samples: $(cat "$tmp/functions")"
expect_between "$(sed -nE 's/^ *([0-9.]+)% .* heavy +leaves$/\1/p' "$tmp/functions")" \
  "$(awk -v near="$near" 'BEGIN { print 66.7 - near }')" "$(awk -v near="$near" 'BEGIN { print 66.7 + near }')" "per cent in heavy of $seen"
expect_equal "$(head -n 1 "$tmp/functions" | grep -cE "^Sampling at 499 Hertz of PID \[$leaves\] by user \+ kernel stack  *0:00:[0-9]{2}$")" 1 \
  "titles"
sed -n 2p "$tmp/processes" | grep -Eq '^[0-9]+\.[0-9]{2} CPUs busy  [0-9]+ samples/s  [0-9]+ samples  0 lost' ||
  fail "no rates: $(sed -n 2p "$tmp/processes")"
sed -n 3p "$tmp/processes" | grep -q '[▁▂▃▄▅▆▇█]  most [0-9]* samples/s' || fail "no line: $(sed -n 3p "$tmp/processes")"

# The kernel only; then a single process, and back.
top "see: leaves$" 'press:k' 'see:kernel only' 'see: \[kernel\]$' \
  'press:k' 'press:P' 'see: reader ' 'press:/reader\r' 'gone: leaves ' 'press:\r' 'see:  reader \([0-9]+\)' 'gone: leaves$' \
  'press:\e' 'see: leaves ' 'press:www' 'see:since the start' \
  'press: ' 'see:STOPPED' 'press: ' 'gone:STOPPED' 'press:\x03' -- -F 499 -p "$leaves,$reader"
expect_status 0
expect_balance

# Processes of one name are one, by a key and by the option.
first=$leaves leaves=
burn_leaves
top 'see: leaves$' 'press:Pm' 'see:by name' 'see: SHARE +SAMPLES +COUNT NAME' 'see: +2 leaves' 'press:\r' 'see:  leaves  ' \
  'press:m' 'press:P' "see: $leaves leaves" 'press:q' -- -F 499 -p "$first,$leaves"
expect_status 0
top 'see:by name' 'press:q' -- --merge-processes -F 99 -p "$leaves"
expect_status 0
kill "$first"

burn_leaves
# Sizes down to useless ones, keys of a terminal without colours, and a run that ends by itself.
top 'see: heavy' 'size:20x5' 'see:\A[^\n]{1,20}\n' 'press:PS\e[BF' 'size:1x1' 'wait:1.2' 'press:PSF\eOB' 'size:132x50' 'see: heavy' \
  'see:\n[^\n]{80,}\n' 'press:\x0c' 'see: heavy' 'press:q' -- -F 99 -p "$leaves"
expect_status 0
expect_balance
top -- -F 99 -p "$leaves" 1
expect_status 0
expect_balance

burn_leaves
# A signal ends it, and the report file is written.
top 'see: heavy' 'kill:TERM' -- -F 499 -p "$leaves" -o "$tmp/a.folded"
expect_status 0
expect_balance
expect_folded_total "$tmp/a.folded"

# A terminal that stops reading (a frozen ssh) delays neither the reports nor the end. When it reads again, the screen
# is redrawn.
top 'see: heavy' "stall:$tmp/still-*.folded" 'press:F' 'see:\A[^~]*$' 'see: heavy +leaves$' 'press:q' -- -F 499 -p "$leaves" -i 0.25 -o "$tmp/still-%03d.folded"
expect_status 0
top 'see: heavy' "stall:$tmp/more-*.folded" 'kill:TERM' "written:$tmp/still.folded" -- -F 499 -p "$leaves" -i 0.25 \
  -o "$tmp/more-%03d.folded" -o "$tmp/still.folded"
expect_status 0
expect_present ';main;outer;middle;heavy ' "$tmp/still.folded"

# Names cannot control the terminal; top_terminal.py fails on unknown control sequences.
cp "$WORKLOADS/leaves" "$tmp/e"$'\x1b[31m\x1b[2J\a''l'
burn_hostile=("$tmp/e"$'\x1b[31m\x1b[2J\a''l' 600)
start "${burn_hostile[@]}"
top 'see:e\?\[31m\?\[2J\?l$' 'press:P' 'see:[0-9] e\?\[31m\?\[2J\?l ' 'press:S' 'see: heavy ← middle' 'press:q' -- -F 499 -p "$started"
expect_status 0

burn_leaves
# Without Unicode the output is ASCII only.
LC_ALL=C top 'see: heavy' 'press:S' 'see: heavy < middle' "keep:$tmp/ascii" 'press:q' -- -F 499 -p "$leaves"
expect_status 0
if LC_ALL=C grep -q '[^ -~]' "$tmp/ascii"; then fail "not ASCII: $(cat -v "$tmp/ascii")"; fi

# With colours a hot function is red; NO_COLOR disables colours.
red=$'\e\\[(1;)?31m'
in_color() {
  local seconds
  for seconds in 1 4 16; do
    run env TERM=xterm "$@" python3 "$SOURCE_DIR/tests/tools/terminal.py" --raw "$tmp/raw" "$PROFILE" -F 499 -p "$leaves" $seconds --top
    expect_status 0
    if grep -aq heavy "$tmp/raw"; then return; fi
  done
  fail "no heavy: $(cat -v "$tmp/raw")"
}
in_color NO_COLOR=
LC_ALL=C grep -aEq "$red" "$tmp/raw" || fail "no red: $(cat -v "$tmp/raw")"
in_color NO_COLOR=1
if LC_ALL=C grep -aEq $'\e\\[[0-9;]*3[0-9]m' "$tmp/raw"; then fail "a colour with NO_COLOR: $(cat -v "$tmp/raw")"; fi

# When the screen cannot be drawn, the error comes before anything is sampled.
profile 1 --top
expect_status 1
expect_err '^profile: --top needs a terminal'
expect_silence out
TERM=dumb top -- 1
expect_status 1
expect_out "^profile: --top needs a terminal with a cursor"
TERM=no-such-terminal top -- 1
expect_status 1
expect_out "^profile: --top: the terminal type 'no-such-terminal'"
