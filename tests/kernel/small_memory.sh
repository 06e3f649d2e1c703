#!/bin/bash
# The profiler and its children in a cgroup of 64 MB, at 99 Hz on a busy machine, with the page and flame graphs: the
# reports are right, or one line says what was missing. The kernel does not kill it silently.
source "$(dirname "$0")/sampling.bash"
make_small_group $((64 << 20)) || skip "no group with a limit of memory can be made here"
((SANITIZED == 0)) || skip "a sanitizer needs more memory"

burn leaves 600/2
burn many_stacks 600/2
burn storm exec 600
start bash -c 'while :; do "$0" 0.02cpu; done' "$WORKLOADS/frameless_cpp"
# shellcheck disable=SC2016  # the shell that is started expands these
ahead=(sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$small_group")
# Most memory that the group has had, in KB.
peak() { cat "$small_group/memory.peak" "$small_group/memory.max_usage_in_bytes" 2>/dev/null | awk '{ print int($1 / 1024) }'; }
# in_small OPTION... : status and output as of `run`.
in_small() {
  run "${ahead[@]}" "$PROFILE" "$@"
  echo "$*: status $status, at most $(peak) KB"
  if ((status == 0)); then
    expect_balance
    return
  fi
  ((status == 1)) || fail "neither a report nor an error"
  expect_equal "$(grep -c '^profile: ' "$tmp/err")" 1 "lines of an error"
}
in_small -F 99 -o "$tmp/a.html" -o "$tmp/a.svg" -o "$tmp/a.folded" 10
if ((status == 0)); then
  expect_folded_total "$tmp/a.folded"
  expect_present '^leaves;(.*;)?main;outer;middle;heavy ' "$tmp/a.folded"
  expect_equal "$("$PROFILE" report -q -f "$tmp/a.folded" | awk '{ sum += $NF } END { print sum }')" "$recorded" "samples of the report"
  for file in "$tmp/a.html" "$tmp/a.svg"; do tail -c 20 "$file" | grep -qE '</(html|svg)>' || fail "$file has no end"; done
fi
in_small -F 99 -i 0.5 -o "$tmp/at-%03d.html" 10
if ((status == 0)); then
  expect_between "$(find "$tmp" -name 'at-*.html' | wc -l)" 10 21 "pages"
fi
# At a high rate the kernel's maps are larger, and of a usual size would take most of the group alone.
in_small -F 997 -o "$tmp/b.html" -o "$tmp/b.folded" 5
if ((status == 0)); then expect_folded_total "$tmp/b.folded"; fi
