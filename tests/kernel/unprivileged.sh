#!/bin/bash
# Without privilege one line says what is missing; with the capabilities it names, and nothing else, everything works.
source "$(dirname "$0")/sampling.bash"
chmod 755 "$tmp"
cp "$PROFILE" "$tmp/program"

run as_nobody --inh-caps=-all --bounding-set=-all "$tmp/program" -f 1
expect_status 1
expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
expect_err '^profile: .*sudo.*cap_bpf.*cap_perfmon'
expect_silence out
granted=$(grep -oE 'cap_[a-z_]+(,cap_[a-z_]+)*' "$tmp/err" | head -n 1)

# Root of a user namespace is no such root.
if unshare -Ur true 2>/dev/null; then
  run unshare -Ur "$tmp/program" -f 1
  expect_status 1
  expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
  expect_err '^profile: .*user namespace'
fi

# BPF alone is not enough for perf events; kernel.perf_event_paranoid is named with its value.
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
at_exit "echo $paranoid >/proc/sys/kernel/perf_event_paranoid"
for level in 2 3; do
  echo $level >/proc/sys/kernel/perf_event_paranoid
  run as_nobody --inh-caps=-all,+bpf --ambient-caps=-all,+bpf --bounding-set=-all,+bpf "$tmp/program" -f 1
  expect_status 1
  expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
  expect_err '^profile: .*sudo.*cap_perfmon'
  expect_silence out
done

# As given by setcap to the file: here as ambient capabilities of a user who is nobody.
burn leaves 60
set=-all,$(sed 's/cap_/+/g' <<<"$granted")
run as_nobody --inh-caps="$set" --ambient-caps="$set" --bounding-set="$set" "$tmp/program" -f -F 499 -p "$started" 0.6
expect_status 0
expect_balance
expect_folded_total
expect_share ';main;outer;middle;(heavy|light)( |;)' 90 100
