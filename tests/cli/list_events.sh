#!/bin/bash
# --list-events shows every event in its group, with the reason when this machine does not have it, in lines that fit.
source "$(dirname "$0")/../lib.sh"

profile --list-events
expect_status 0
expect_silence err
awk 'length > 100 { exit 1 }' "$tmp/out" || fail "a line is longer than 100; $(outcome)"
if grep -nE ' $' "$tmp/out"; then fail "a line ends in a blank"; fi

# Four shapes of line: a heading; a name with its description, which begins in a fixed column; a name alone; a
# continuation.
if grep -nvE '^([A-Z][a-z ]+:|  [^ ].{31} [^ ].*|  [^ ].{32,}| {34}[^ ].*|)$' "$tmp/out"; then fail "these lines have another shape"; fi

# Each row of the tables of sources has its own line, in each spelling.
names_in() { grep -oE "$1" "$SOURCE_DIR/$2" | grep -oE '"[^"]+"' | tr -d '"'; }
rows=$( (
  names_in '\.name = "[^"]+"' src/sampling/sources.cpp
  names_in '^    \{"[a-z-]+", "[a-z-]*", PERF_TYPE_(SOFTWARE|HARDWARE),' headers/sampling/perf_events.h
))
(($(wc -w <<<"$rows") >= 25)) || fail "only these rows were found in the sources: $rows"
for name in $rows; do
  expect_equal "$(grep -cE -- "^  (.*, )?$name(,? |$)" "$tmp/out")" 1 "lines of $name"
done

# An event that is listed as missing fails, with an error that names it.
cp "$tmp/out" "$tmp/list"
first_of() { sed -nE "s/^  ([^ ,]+).*/\1/p" <<<"$1"; }
reason='' in_common=0
while IFS= read -r line; do
  if [[ $line =~ ^[A-Z] ]]; then in_common=0; fi
  if [[ $line =~ ^' '+'none of them here: '(.+)$ ]]; then
    in_common=1
    reason=${BASH_REMATCH[1]}
  elif [[ $line =~ ^' '+'not here: '(.+)$ ]]; then
    ((in_common == 0)) || fail "$event has a reason besides the one of all"
    reason=${BASH_REMATCH[1]}
  elif [[ $line =~ ^'  '[^' '] ]]; then
    event=$(first_of "$line")
    ((in_common)) || continue
  else
    continue
  fi
  ((${#reason} > 10)) || fail "$event is missing without a reason"
  if ((EUID != 0)) || [[ $line == *'none of them'* || $event == *[A-Z]* ]]; then continue; fi
  profile -e "$event" 0.1
  expect_status 1
  expect_err "^profile: -e $event: "
done <"$tmp/list"

# The list also works without privilege.
if ((EUID == 0)) && command -v setpriv >/dev/null; then
  run setpriv --reuid=65534 --regid=65534 --clear-groups "$PROFILE" --list-events
  if ((status != 126)); then # nobody may not be allowed to run it where it was built
    expect_status 0
    expect_equal "$(grep -cE '^  [^ ]' "$tmp/out")" "$(grep -cE '^  [^ ]' "$tmp/list")" "events without privilege"
  fi
fi

# The list also works beside other options. An output that cannot be written is an error.
profile --list-events -p abc
expect_status 0
"$PROFILE" --list-events >/dev/full 2>"$tmp/err"
status=$?
expect_status 1
