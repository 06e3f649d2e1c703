#!/bin/bash
# --lines finds inlined functions in split debug information: in the compiler's .dwo files, and in a package beside the
# program. A file that is missing, or that must not be read, is reported.
source "$(dirname "$0")/compiling.bash"

# Two functions are inlined into each other and into a third. The comments in the source give the line numbers.
cat >"$tmp/inlined.c" <<'C'
#include <unistd.h>
static inline __attribute__((always_inline)) void innermost(volatile long* sum) {
  while (*sum % 100000) ++*sum; /* line 3 */
}
static inline __attribute__((always_inline)) void between(volatile long* sum) {
  innermost(sum); /* line 6 */
}
__attribute__((noinline)) void holder(volatile long* sum) {
  between(sum); /* line 9 */
}
int main(void) {
  alarm(600);
  for (volatile long sum = 1;; ++sum) holder(&sum); /* line 13 */
}
C
cd "$tmp" || exit 1
inlined=';main inlined.c:13;holder inlined.c:9;between inlined.c:6;innermost inlined.c:3 '
bare=';main inlined.c:13;holder inlined.c:3 '
# sample_lines : samples $started.
sample_lines() { sample_work "$started" 20 -F 1999 -U --lines; }

clang=$(command -v clang || command -v clang-14) || fail "there is no clang here, which the build needs"
for version in 4 5; do
  # llvm-dwp 14 never ends on gcc's DWARF 5, so clang compiles that version.
  if ((version == 4)); then compiler=gcc; else compiler=$clang; fi
  "$compiler" -O1 -g -gsplit-dwarf "-gdwarf-$version" -fno-omit-frame-pointer -o inlined inlined.c || fail "$compiler"
  dwo=$(compgen -G '*.dwo') || fail "gcc left no .dwo"
  start "$tmp/inlined" 600
  sample_lines
  expect_share "$inlined" 90 100
  expect_no_err 'split debug'
  mv "$dwo" kept
  sample_lines
  expect_share "$bare" 90 100
  expect_err "^1 file of split debug information could not be read, so that inlined functions are missing: .*$dwo \(not there\)$"
  # Other files in its place.
  mkfifo "$dwo"
  sample_lines
  expect_err "$dwo \(not a regular file\)$"
  rm "$dwo" && ln -s "$tmp/kept" "$dwo"
  sample_lines
  expect_share "$bare" 90 100
  expect_err "$dwo \(behind a symbolic link\)$"
  rm "$dwo" && truncate -s 17G "$dwo"
  sample_lines
  expect_err "$dwo \(too large\)$"
  rm "$dwo"
  mv kept "$dwo"
  # A file of another build.
  cp "$dwo" kept
  gcc -O1 -c "-gdwarf-$version" -gsplit-dwarf -I"$SOURCE_DIR/tests/workloads" -o other.o \
    "$SOURCE_DIR/tests/workloads/leaves.c" || fail "gcc"
  mv other.dwo "$dwo"
  sample_lines
  expect_share "$bare" 90 100
  expect_err "$dwo \(of another build\)$"
  mv kept "$dwo"
  # All files in one package.
  if timeout 120 dwp -e inlined -o inlined.dwp 2>/dev/null || timeout 120 llvm-dwp -e inlined -o inlined.dwp 2>/dev/null; then
    rm "$dwo"
    sample_lines
    expect_share "$inlined" 90 100
    expect_no_err 'split debug'
  else
    without "packages of DWARF $version" "neither dwp nor llvm-dwp makes one"
  fi
  rm -f inlined.dwp ./*.dwo
  kill "$started"
done
