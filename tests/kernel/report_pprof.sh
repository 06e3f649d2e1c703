#!/bin/bash
# A recorded profile that is read again stays the same: folded lines byte for byte, and `go tool pprof` sees no
# difference.
source "$(dirname "$0")/../lib.sh"
need_kernel
need_command go

# pprof ARGUMENTS... : runs Go's tool without the user's settings and binaries.
pprof() { (cd "$tmp" && HOME=$tmp GOFLAGS='' PPROF_BINARY_PATH=$tmp/none go tool pprof "$@" 2>"$tmp/pprof.err") || fail "pprof: $(tail -n 5 "$tmp/pprof.err")"; }

# same_again NAME ARGUMENT... : records with these arguments and reads the files back. On a busy machine a timed run may
# record nothing, so it is repeated.
same_again() {
  local file=$tmp/$1 left
  for ((left = 5; left > 0; left--)); do
    profile -a --modules -o "$file.folded" -o "$file.pb.gz" "${@:2}"
    expect_status 0
    if [[ -s $file.folded ]]; then break; fi
  done
  [[ -s $file.folded ]] || fail "nothing was recorded; $(outcome)"
  profile report -a --modules -f "$file.folded"
  expect_status 0
  cmp -s "$tmp/out" "$file.folded" || fail "folded lines changed: $(diff "$tmp/out" "$file.folded" | head)"
  profile report -a -f "$file.pb.gz"
  expect_status 0
  cp "$tmp/out" "$file.again"
  profile report -a -f "$file.folded"
  cmp -s "$tmp/out" "$file.again" || fail "pprof has other lines: $(diff "$tmp/out" "$file.again" | head)"
  profile report -o "$file.again.pb.gz" "$file.pb.gz"
  expect_status 0
  # The order of the rows decides which file pprof shows as the profiled program, and which of two files at one address
  # is moved.
  local by_order='^(File|Build ID): |out of the way of others'
  top_of() { pprof -top -nodecount=100000 -nodefraction=0 "$1" | grep -Ev "$by_order"; }
  top_of "$file.pb.gz" >"$file.top"
  top_of "$file.again.pb.gz" >"$file.top2"
  cmp -s "$file.top" "$file.top2" || fail "pprof -top differs: $(diff "$file.top" "$file.top2" | head)"
  local samples='/^Samples:/,/^Locations/p'
  expect_equal "$(pprof -raw "$file.again.pb.gz" | sed -n "$samples" | grep -c .)" \
    "$(pprof -raw "$file.pb.gz" | sed -n "$samples" | grep -c .)" "lines of samples in -raw"
  # A period that varies is written as 0, and an unknown period as 1.
  head_of() { pprof -raw "$1" | sed -n '1,/^Samples:/p' | grep -Ev "^Period: |$by_order"; }
  expect_equal "$(head_of "$file.again.pb.gz")" "$(head_of "$file.pb.gz")" "the head of -raw"
}

# ends_of FILE : prints from a JSON report why user stacks end, and which.
ends_of() {
  python3 - "$1" <<'PYTHON'
import collections, json, sys

with open(sys.argv[1], encoding="utf-8") as file:
    stacks = json.load(file)["ebpf"]["profile"]
rows = collections.Counter()
for row in stacks["rows"]:
    user = row.get("user")
    frames = [stacks["frames"][i] for i in stacks["stacks"][user]] if isinstance(user, int) else [{"symbol": user}]
    names = [frame.get("symbol", "?") for frame in frames]
    rows[row["thread"], row.get("user_end"), *names] += row["value"]
print(sorted(stacks["user_stack_ends"].items()))
print(*sorted(rows.items(), key=str), sep="\n")
PYTHON
}

start "$WORKLOADS/leaves" 600
leaves=$started
start "$WORKLOADS/reader" 600
same_again cpu -F 999 0.8
same_again guessed --unwind fp -F 999 0.3
same_again waits -e off-cpu 0.3
same_again faults --unwind fp -e page-faults -c 1 -- "$WORKLOADS/leaves" 0.1

# Every format keeps which stacks are incomplete, and why.
walks_by_tables || exit 0
file=$tmp/deep
is_too_deep() { has_samples "$file.folded" '^leaves;\[incomplete: too deep\];.*;(heavy|light) '; }
profile_until is_too_deep -a --max-stack-depth 2 -F 999 -p "$leaves" -o "$file.folded" -o "$file.pb.gz" -o "$file.json"
for read in folded pb.gz; do
  profile report -a -f "$file.$read"
  expect_out '^leaves;\[incomplete: too deep\];.*;(heavy|light) '
  cmp -s "$tmp/out" "$file.folded" || fail "$read has other lines: $(diff "$tmp/out" "$file.folded" | head)"
done
profile report --format json "$file.pb.gz"
expect_status 0
ends_of "$tmp/out" >"$file.ends2"
ends_of "$file.json" >"$file.ends"
grep -q "'too_deep'" "$file.ends" || fail "no stack was too deep: $(cat "$file.ends")"
cmp -s "$file.ends" "$file.ends2" || fail "JSON has other ends: $(diff "$file.ends" "$file.ends2" | head)"
pprof -tags "$file.pb.gz" >"$file.tags"
grep -A1 '^ *stack_end:' "$file.tags" | tail -n 1 | grep -q 'too_deep$' || fail "pprof does not show the label: $(cat "$file.tags")"
