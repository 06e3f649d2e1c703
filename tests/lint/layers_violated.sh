#!/bin/bash
# Each rule of scripts/check-layers is broken once in a small tree, and is reported with its line. A correct tree
# passes.
source "$(dirname "$0")/../lib.sh"

tree=$tmp/tree
# file PATH [INCLUDE...] : makes a file; its includes begin at line 2.
file() {
  mkdir -p "$tree/$(dirname "$1")"
  printf '// %s\n' "$1" >"$tree/$1"
  local path=$1
  shift
  if (($# != 0)); then printf '#include %s\n' "$@" >>"$tree/$path"; fi
}
check() { run "$SOURCE_DIR/scripts/check-layers" "$tree"; }
# caught PATH:LINE RULE : this is the only fault reported. The file is then removed.
caught() {
  check
  expect_status 1
  expect_equal "$(wc -l <"$tmp/out")" 1 "reported faults"
  expect_out "^$1: .*$2"
  rm "$tree/${1%%:*}"
}

file headers/abi/record.h '<linux/types.h>'
file headers/model/profile.h '<vector>' '"model/account.h"'
file headers/model/account.h '<cstdint>'
file src/app/main.cpp '<string>' '"app/session.h"' '"support/fd.h"' '"sampling/source.h"'
file headers/support/fd.h '<unistd.h>'
file headers/sampling/source.h
file src/app/session.h '"model/profile.h"'
file src/sampling/cpu_clock.cpp '"sampling/source.h"' '"abi/record.h"' '"cpu_clock.skel.h"'
file bpf/record.bpf.h '"abi/record.h"' '<bpf/bpf_helpers.h>'
file bpf/cpu_clock.bpf.c '"record.bpf.h"'
file build-test/CMakeCache.txt
file .gitignore
check
expect_status 0
expect_silence out

file headers/app/session.h
caught headers/app/session.h:1 'no other room includes it'
file headers/sampling/lonely.h '"sampling/lonely.h"'
caught headers/sampling/lonely.h:1 'no other room includes it'
file src/symbol/bad.cpp '"symboliser.h"'
caught src/symbol/bad.cpp:2 'names its room'
file bpf/bad.bpf.c '"model/profile.h"'
caught bpf/bad.bpf.c:2 'bpf/ includes only'
file bpf/one.bpf.h '"two.bpf.h"'
file bpf/two.bpf.h '"three.bpf.h"'
file bpf/three.bpf.h '"record.bpf.h"' '"one.bpf.h"'
file bpf/user.bpf.c '"one.bpf.h"'
check
expect_status 1
expect_equal "$(grep -c 'includes this file in its turn' "$tmp/out")" 3 "includes that make a circle"
expect_out '^bpf/three.bpf.h:3: bpf/one.bpf.h includes'
rm "$tree"/bpf/{one,two,three}.bpf.h "$tree/bpf/user.bpf.c"
file headers/abi/bad.h '<cstdint>'
caught headers/abi/bad.h:2 'headers/abi is plain C'
file notes.txt
caught notes.txt:1 'does not belong at the top level'
check
expect_status 0

# In a checkout only files that git knows count.
need_command git
git -C "$tree" init -q && git -C "$tree" add . || fail "git"
file notes.txt
check
expect_status 0
expect_silence out
git -C "$tree" add notes.txt
caught notes.txt:1 'does not belong at the top level'
