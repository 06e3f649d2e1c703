#!/bin/bash
# What was recorded and read again is what was recorded: folded lines to the byte, and `go tool pprof` sees no difference.
source "$(dirname "$0")/../lib.sh"
need_kernel
need_command go

# pprof ARGUMENTS... : Go's tool, kept from what is none of the test's matter.
pprof() { (cd "$tmp" && HOME=$tmp GOFLAGS='' PPROF_BINARY_PATH=$tmp/none go tool pprof "$@" 2>"$tmp/pprof.err") || fail "pprof: $(tail -n 5 "$tmp/pprof.err")"; }

# same_again NAME ARGUMENT... : records with these, reads what was recorded.
same_again() {
  local file=$tmp/$1
  profile -a --modules -o "$file.folded" -o "$file.pb.gz" "${@:2}"
  expect_status 0
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
  # Which file is called the program that was profiled goes by the order of the rows.
  top_of() { pprof -top -nodecount=100000 -nodefraction=0 "$1" | grep -Ev '^(File|Build ID): '; }
  top_of "$file.pb.gz" >"$file.top"
  top_of "$file.again.pb.gz" >"$file.top2"
  cmp -s "$file.top" "$file.top2" || fail "pprof -top differs: $(diff "$file.top" "$file.top2" | head)"
  local samples='/^Samples:/,/^Locations/p'
  expect_equal "$(pprof -raw "$file.again.pb.gz" | sed -n "$samples" | grep -c .)" \
    "$(pprof -raw "$file.pb.gz" | sed -n "$samples" | grep -c .)" "lines of samples in -raw"
  # A period that varies is written as 0, and one that is not known as 1.
  head_of() { pprof -raw "$1" | sed -n '1,/^Samples:/p' | grep -v '^Period: '; }
  expect_equal "$(head_of "$file.again.pb.gz")" "$(head_of "$file.pb.gz")" "the head of -raw"
}

start "$WORKLOADS/leaves" 60
start "$WORKLOADS/reader" 60
same_again cpu -F 999 0.8
same_again waits -e off-cpu 0.3
same_again faults -e page-faults -- "$WORKLOADS/leaves" 0.1
