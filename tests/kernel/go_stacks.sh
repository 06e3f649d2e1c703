#!/bin/bash
# Go programs change stacks: for the runtime's own work, for C, for a callback out of C, for the clock. The goroutine's
# frames are there on both sides of each change, also in stripped programs.
source "$(dirname "$0")/sampling.bash"
need_command go

mkdir "$tmp/plain.go" "$tmp/mixed.go"
cat >"$tmp/plain.go/main.go" <<'GO'
// plain runtime|clock|handoff
package main

import (
	"os"
	"runtime"
	"time"
)

var pcs = make([]uintptr, 32)
var last time.Time

//go:noinline
func asksForCallers() { runtime.Callers(0, pcs) }

//go:noinline
func asksForTime() { last = time.Now() }

//go:noinline
func deeper(n int, leaf func()) {
	if n > 0 {
		deeper(n-1, leaf)
		return
	}
	for {
		leaf()
	}
}

//go:noinline
func handsOver(to, from chan int) {
	for {
		to <- 1
		time.Sleep(time.Millisecond)
		<-from
	}
}

func main() {
	switch os.Args[1] {
	case "runtime":
		deeper(3, asksForCallers)
	case "clock":
		deeper(3, asksForTime)
	case "handoff":
		a, b := make(chan int, 1), make(chan int, 1)
		go handsOver(a, b)
		handsOver(b, a)
	}
}
GO
cat >"$tmp/mixed.go/main.go" <<'GO'
// mixed c|callback
package main

/*
extern void goBurn(void);
static volatile unsigned long sink;
static __attribute__((noinline)) void c_burn(void) {
  for (int i = 0; i < 20000000; i++) sink += i;
}
static __attribute__((noinline)) void c_calls(void) {
  goBurn();
  sink++;
}
*/
import "C"
import "os"

//go:noinline
func burn(turns int) (sum int) {
	for turn := 0; turn < turns; turn++ {
		sum += turn * turn
	}
	return
}

//export goBurn
func goBurn() { burn(20000000) }

//go:noinline
func goInner() {
	if os.Args[1] == "c" {
		C.c_burn()
	} else {
		C.c_calls()
	}
}

//go:noinline
func goOuter() { goInner() }

func main() {
	for {
		goOuter()
	}
}
GO
# build PROGRAM NAME FLAGS : by this machine's Go or, when $tree is a tree of another release, by the one there.
build() {
  local at=$tree/tmp/go_stacks
  mkdir -p "$at" && cp "$tmp/$1.go/main.go" "$at" || fail "cannot write $at"
  # shellcheck disable=SC2016
  inside env HOME=/tmp GO111MODULE=off GOTELEMETRY=off sh -c 'cd /tmp/go_stacks && go build -ldflags="$1" -o "$2" main.go' sh "$3" "$2" ||
    fail "go cannot build $1"
}
inside() {
  if [[ -z $tree ]]; then "$@"; else GOROOT=$goroot chroot "$tree" "$@"; fi
}

# sample_of MODE PATTERN [ARGUMENT...] : samples $program, and keeps the lines that match.
sample_of() {
  echo "$program $1 ${*:3}"
  start_program "$1"
  wait_until is_at_work "$started"
  sample -U -a -F 499 -p "$started" -o "$tmp/all.folded" "${@:3}" 1.5
  kill "$started"
  grep -v 'incomplete: no table yet' "$tmp/all.folded" | grep -E "$2" >"$tmp/out" || fail "no stack matches '$2'; $(head -n 5 "$tmp/all.folded")"
}
start_program() {
  if [[ -z $tree ]]; then start "/tmp/go_stacks/$program" "$1"; else start chroot "$tree" "/tmp/go_stacks/$program" "$1"; fi
}
abi='(\.abi0)?'
outermost="runtime\\.goexit$abi;runtime\\.main;main\\.main"

check_stacks() {
  local flags
  for flags in '' -w '-s -w'; do
    program="plain${flags// /}"
    build plain "$program" "$flags"
    sample_of runtime ";runtime\\.systemstack$abi;"
    expect_share "^$program;$outermost;(main\\.deeper;){4}main\\.asksForCallers;.*runtime\\.systemstack" 95 100
    # Frame pointers lead from the other stack back to the goroutine's, and have no false caller.
    sample_of runtime ";runtime\\.systemstack$abi;" --unwind fp
    expect_share "^$program;($outermost;(main\\.deeper;){4}main\\.asksForCallers;(runtime\\.[Cc]allers;)*)?runtime\\.systemstack" 95 100
    expect_share "^$program;$outermost;.*runtime\\.systemstack" 90 100
    sample_of clock ';time\.now'
    expect_share "^$program;$outermost;(main\\.deeper;){4}main\\.asksForTime;(time\\.Now;)?(time\\.runtimeNow;)?time\\.now" 95 100

    program="mixed${flags// /}"
    build mixed "$program" "$flags"
    sample_of c ';c_burn |\[mixed[^;]*\] '
    expect_share "^$program;$outermost;main\\.goOuter;main\\.goInner;(main\\._Cfunc_c_burn$abi;)?(runtime\\.cgocall;)?runtime\\.asmcgocall$abi;" 95 100
    sample_of callback ';main\.burn '
    expect_share "^$program;$outermost;main\\.goOuter;main\\.goInner;(main\\._Cfunc_c_calls$abi;)?(runtime\\.cgocall;)?runtime\\.asmcgocall$abi;.*crosscall2$abi;runtime\\.cgocallback$abi;runtime\\.cgocallbackg.*goBurn;main\\.burn " 90 100
  done

  # A thread that has left its goroutine begins with the change to its own stack.
  program=plain
  echo "$program handoff"
  start_program handoff
  sample -e futex -f -p "$started" -o "$tmp/out.folded" 1
  mv "$tmp/out.folded" "$tmp/out"
  expect_share '^plain;runtime\.(mcall|mstart|systemstack|goexit|rt0_go|clone|morestack)' 95 100
  kill "$started"
}

tree=
check_stacks

# The newest Go that Debian has.
source "$(dirname "$0")/releases.bash"
tree_of trixie golang-go gcc libc6-dev
tree=$trees/trixie
# There is no /proc, by which it would find this.
for root in "$tree"/usr/lib/go-1.*; do goroot=${root#"$tree"}; done
check_stacks

# The newest Go, which that one gets as a module. It is built for this machine.
newest=go1.27.3
export GOTOOLCHAIN=$newest GOPATH=${trees%/releases}/go PATH=$tree$goroot/bin:$PATH
tree=
if timeout 300 go version >"$tmp/version" 2>&1 && grep -q " $newest " "$tmp/version"; then
  check_stacks
else
  echo "left out: $newest: $(tail -n 1 "$tmp/version")"
fi
