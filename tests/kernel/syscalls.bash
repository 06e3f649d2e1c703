# shellcheck shell=bash
# Runs -e syscalls for tests, checks the account, and reads the reports.
source "$(dirname "${BASH_SOURCE[0]}")/sampling.bash"
need_command python3

# trace [ARGUMENTS...] : runs -e syscalls with a JSON report. It must succeed and lose nothing.
trace() {
  profile -e syscalls --format json "$@"
  expect_status 0
  expect_balance
  # With --failed only the failed ones are samples.
  if [[ " $* " != *' --failed '* ]]; then expect_equal "$(figure total)" "$recorded" "system calls in the report"; fi
}

# figure KEY [WHERE] : prints the sum of KEY over all reports in $tmp/out. KEY (count, failed, latency["total_ns"]) and
# WHERE, a condition, are Python expressions over a call's fields. KEY `total` means the reports' own totals.
figure() {
  python3 - "$tmp/out" "$1" "${2:-True}" <<'PYTHON'
import json, sys

path, key, where = sys.argv[1:]
text = open(path).read().strip()
decoder, at, total = json.JSONDecoder(), 0, 0
while at < len(text):
    report, at = decoder.raw_decode(text, at)
    while at < len(text) and text[at].isspace():
        at += 1
    calls = report["ebpf"]["syscalls"]
    if key == "total":
        total += calls["total"]
        continue
    total += sum(eval(key, {}, call) for call in calls["calls"] if eval(where, {}, call))
print(total)
PYTHON
}
count_of() { figure count "name == '$1'"; }
expect_count() { expect_equal "$(count_of "$1")" "$2" "calls of $1"; }
