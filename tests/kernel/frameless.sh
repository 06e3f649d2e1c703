#!/bin/bash
# User stacks of programs without frame pointers are complete, whatever the shape of their frames.
source "$(dirname "$0")/sampling.bash"
walks_by_tables || skip "user stacks are not walked by tables here"

root='(_start;)?(__libc_start_main[^;]*;)?(__libc_start_call_main;)?main'
# has_whole CHAIN : the reports so far have a hundred complete stacks, however long the tables took.
has_whole() { (($(folded_total "^[^;]*;$1 ") >= 100)); }
# profile_whole CHAIN [ARGUMENT...] : profiles until has_whole. $tmp/walked gets the samples that were taken after the
# tables came.
profile_whole() {
  begin -U -f -a -i 0.2 "${@:2}"
  wait_until has_whole "$1"
  kill -INT "$profiler"
  finish
  expect_status 0
  expect_balance
  expect_folded_total
  grep -vF '[incomplete: no table yet]' "$tmp/out" >"$tmp/walked"
}
# expect_shape SHAPE CHAIN [PROGRAM] : of at least a hundred stacks of the process, $least per cent or more have that
# chain. The others lie before or after a loop, or belong to an exception.
expect_shape() {
  local program=${3:-frameless} of
  [[ $program == /* ]] || program=$WORKLOADS/$program
  echo "$1 ${3:-}"
  # A child is another process, so it is found by a name that no other process has.
  if [[ $1 == child ]]; then cp "$program" "$tmp/child$$" && program=$tmp/child$$; fi
  start "$program" "$1" 600
  wait_until is_at_work "$started"
  of=(-p "$started")
  if [[ $1 == child ]]; then of=(--comm "child$$"); fi
  profile_whole "$2" --unwind cfi -F 999 "${of[@]}"
  expect_share "^[^;]*;$2 " "${least:-75}" 100 "$tmp/walked"
  kill "$started"
}
for program in frameless frameless.static frameless.nopie; do
  expect_shape plain "$root;first;second;third;spin" "$program"
done
expect_shape variable "$root;variable;spin"
expect_shape aligned "$root;aligned;spin"
expect_shape many "$root;many;spin"
expect_shape tail "$root;spin"
expect_shape last "$root;last;ends"
expect_shape signal "$root;on_own_stack;interrupted(;[^;]+)*"
expect_present ';interrupted;([^;]*raise[^;]*;)?([^;]*pthread_kill[^;]*;)*__restore_rt;handler;spin ' "$tmp/walked"
expect_shape context "(__start_context;)?routine;spin"
# The child works while its parent waits. A process that begins or ends has no user stack.
least=1 expect_shape child "$root;parent(;[^;]+)*"
descents=$(printf 'descend;%.0s' {1..40})
expect_shape steep "$root;${descents}spin"
if [[ $(uname -m) == x86_64 ]]; then
  expect_shape written "$root;written;spin"
  expect_shape lowest "$root;at_the_lowest_word;lowest;bottom"
fi
# A probe of a function's return replaces the return address. The kernel spends part of the time on the probes; some
# kernels have none.
if [[ -e /sys/bus/event_source/devices/uprobe/type ]]; then least=1 expect_shape probed "$root;(probed;)?first;second;third;spin"; fi

# The dynamic linker looks up a function. The PLT calls it with all registers in use.
LD_BIND_NOT=1 expect_shape lazy "$root;lazy(;[^;]+)*"
expect_present ';lazy;(.*;)?_dl_runtime_resolve[^;]*[; ]' "$tmp/walked"

least=50 expect_shape cleanup "$root;catches[^;]*;between[^;]*;Cleaner::~Cleaner[^;]*;spin\(\)" frameless_cpp
least=50 expect_shape caught "$root;handles_itself[^;]*;handles[^;]*;spin\(\)" frameless_cpp
least=50 expect_shape rethrown "$root;catches[^;]*;passes_on[^;]*;handles[^;]*;spin\(\)" frameless_cpp
deep=$(for depth in {32..0}; do printf 'void deep<%s>\(\);' "$depth"; done)
expect_shape templates "$root;${deep}spin\(\)" frameless_cpp

# Other ways to build: all optimisations and link-time optimisation; static and position-independent; with another C
# library, which has no unwind tables of its own.
# build_as NAME OPTION... : builds $tmp/NAME.
build_as() { cc -o "$tmp/$1" -w -O2 -fomit-frame-pointer "${@:2}" -pthread; }
source=$SOURCE_DIR/tests/workloads/frameless.c
if command -v cc >/dev/null; then
  build_as frameless.lto -O3 -flto "$source" || fail "it cannot be built with -flto"
  expect_shape plain "$root;first;second;third;spin" "$tmp/frameless.lto"
  if build_as frameless.spie -static-pie "$source" 2>/dev/null; then
    expect_shape plain "$root;first;second;third;spin" "$tmp/frameless.spie"
  else
    without "a static program that lies anywhere" "its C library is not here"
  fi
else
  without "programs built by others' options" "there is no compiler here"
fi
if command -v musl-gcc >/dev/null; then
  echo "musl"
  musl-gcc -o "$tmp/frameless.musl" -w -static -O1 -fno-inline -fomit-frame-pointer -fasynchronous-unwind-tables \
    "$SOURCE_DIR/tests/workloads/leaves.c" || fail "musl-gcc cannot build"
  start "$tmp/frameless.musl" 600
  wait_until is_at_work "$started"
  profile_whole '(.*;)?main;outer;middle;(heavy|light)' --unwind cfi -F 999 -p "$started"
  expect_share "^[^;]*;(.*;)?main;outer;middle;(heavy|light) " 75 100 "$tmp/walked"
  kill "$started"
else
  without "a program with musl" "there is no musl-gcc here"
fi

# New files, in processes that end before the run does. kernel/frameless_measured checks how many of the early samples
# are completed later.
echo "new files"
# shellcheck disable=SC2016
run "$PROFILE" -U -f -a -F 3999 -- bash -c 'for i in {1..10}; do cp "$1" "$2.$i" && "$2.$i" plain 0.05cpu; done' new "$WORKLOADS/frameless" "$tmp/brand_new"
expect_status 0
expect_balance
expect_present "^brand_new[^;]*;$root;first;second;third;spin "

# With -w Go leaves out what debuggers need to unwind. Frame pointers lead to the end of each goroutine.
if command -v go >/dev/null; then
  cat >"$tmp/goes.go" <<'GO'
package main

//go:noinline
func leaf(turns int) (sum int) {
	for turn := 0; turn < turns; turn++ {
		sum += turn * turn
	}
	return
}

//go:noinline
func calls() (sum int) {
	return leaf(1000000) + 1
}
func works() {
	for {
		calls()
	}
}
func main() {
	go works()
	select {}
}
GO
  HOME=$tmp go build -ldflags=-w -o "$tmp/goes" "$tmp/goes.go" || fail "go cannot build"
  start "$tmp/goes"
  wait_until is_at_work "$started"
  profile_whole 'runtime.goexit[^;]*;main.works;main.calls;main.leaf' -F 999 -p "$started"
  kill "$started"
else
  without "a program in Go" "there is no go here"
fi

# Other threads replace, split and join the mappings of the running code. The stack may then be shorter, but never
# wrong.
for how in cfi auto; do
  echo "swapped, $how"
  start "$WORKLOADS/frameless" swapped 600
  wait_until is_at_work "$started"
  profile_whole "$root;swapped(;[^;]+)*" --unwind "$how" -F 3997 -p "$started"
  unnamed='\[memfd:copy[^;]*\]|\[unknown\]'
  grep -v '^frameless;\[incomplete: ' "$tmp/out" | grep -E ";(outer|middle|inner|\[memfd:copy[^;]*\])(;| )" |
    grep -vE "^frameless;$root;swapped;(outer|$unnamed)(;(middle|$unnamed)(;(inner|$unnamed))?)? " >"$tmp/wrong"
  expect_silence wrong
  kill "$started"
done
