#!/bin/bash
# On a terminal a line on stderr shows the progress, and is erased at the end. Without a terminal there is no such line.
source "$(dirname "$0")/sampling.bash"
need_command python3
terminal=$SOURCE_DIR/tests/tools/terminal.py
# Samples one process, because other programs could add lines to the messages.
burn leaves 600

# stdout is a file, stderr the terminal. The summary stays on the screen, perhaps with a line about names.
has_progress() { tr '\r' '\n' <"$tmp/raw" | grep -aEq "^(.\[K)?[0-9.]+/$1 s +[0-9]+ samples +[0-9]+ stacks"; }
for seconds in 1.2 15.5; do
  run python3 "$terminal" --raw "$tmp/raw" sh -c "exec '$PROFILE' -f -F 499 -p $started $seconds >'$tmp/folded'"
  expect_status 0
  if has_progress $seconds; then break; fi
done
has_progress $seconds || fail "no progress: $(cat -v "$tmp/raw")"
cp "$tmp/out" "$tmp/err"
expect_balance
expect_folded_total "$tmp/folded"
expect_no_out '[0-9] stacks|Ctrl-C'
# The stacks are in the file, so the functions are on the screen.
expect_out '^Top [0-9]+ functions?'
expect_out '^ *[0-9]+ +[0-9.]+% .* heavy +leaves$'
expect_equal "$(grep -vcE '^[0-9]+ samples in |^[0-9.]+ % of |^Top [0-9]|^hottest path, |^ *SELF |^ *[0-9]+ +[0-9.]+% ' "$tmp/out")" 0 "lines left on the screen beside the summary"

# Neither -q nor a file shows progress.
run python3 "$terminal" --raw "$tmp/raw" sh -c "exec '$PROFILE' -q -f -F 499 -p $started 0.8 >'$tmp/folded'"
expect_status 0
[[ ! -s $tmp/raw ]] || fail "something on the terminal with -q: $(cat -v "$tmp/raw")"
sample_folded -F 499 -p "$started" 0.8
if grep -aq $'[\r\033]' "$tmp/err"; then fail "control bytes on stderr: $(cat -v "$tmp/err")"; fi
expect_no_err '[0-9] stacks'

# Ctrl-C ends a run without a time limit.
run python3 "$terminal" --press-after "$tmp/folded" sh -c "exec '$PROFILE' -F 499 -p $started >'$tmp/folded'"
expect_status 0
# The terminal may echo ^C into the line of the summary.
sed 's/^^C//' "$tmp/out" >"$tmp/err"
expect_balance
expect_equal "$(counted_total "$tmp/folded")" "$recorded" "total of the counted rows"
expect_no_out 'Ctrl-C'
