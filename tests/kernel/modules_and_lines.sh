#!/bin/bash
# --modules tells functions of one name in two files apart; --lines tells the source line of each frame, and what the compiler
# has inlined as frames of their own.
source "$(dirname "$0")/compiling.bash"
need_command addr2line

cat >"$tmp/library.c" <<'C'
#include "workload.h"
static void same_name(void) { WORK(UNIT); }
void library_turn(void) { same_name(); }
C
cat >"$tmp/program.c" <<'C'
#include "workload.h"
void library_turn(void);
static void same_name(void) { WORK(2 * UNIT); }
int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  while (goes_on) {
    same_name();
    library_turn();
  }
}
C
build "$tmp/libtwin.so" "$tmp/library.c" -fPIC -shared
build "$tmp/twin" "$tmp/program.c" "$tmp/libtwin.so" "-Wl,-rpath,$tmp"
start "$tmp/twin" 600
sample_folded -F 999 -U --modules -p "$started" 1
expect_share ';main \[twin\];same_name \[twin\] ' 60 74
expect_share ';main \[twin\];library_turn \[libtwin.so\];same_name \[libtwin.so\] ' 26 40
sample_folded -F 999 -U -p "$started" 0.4
expect_absent '\[(twin|libtwin.so)\]'
kill "$started"

# Two functions inlined into each other and into a third; the lines are told by the comments here.
cat >"$tmp/inlined.c" <<'C'
#include "workload.h"
static inline __attribute__((always_inline)) void innermost(void) {
  WORK(UNIT); /* line 3 */
}
static inline __attribute__((always_inline)) void between(void) {
  innermost(); /* line 6 */
}
void holder(void) {
  between(); /* line 9 */
}
void bare_one(void) {
  WORK(UNIT); /* line 12 */
}
int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  while (goes_on) {
    holder();   /* line 17 */
    bare_one(); /* line 18 */
  }
}
C
build "$tmp/inlined" "$tmp/inlined.c"
start "$tmp/inlined" 600
sample_folded -F 999 -U --lines -p "$started" 1
expect_share ';main inlined.c:17;holder inlined.c:9;between inlined.c:6;innermost inlined.c:3 ' 25 75
expect_share ';main inlined.c:18;bare_one inlined.c:12 ' 25 75
sample_folded -F 999 -U -p "$started" 0.4
expect_share ';main;holder ' 25 75
expect_absent '(between|innermost|inlined\.c:)'

# As another reader of the same file has it.
sample -F 499 -U --lines -A -p "$started" 0.4
expect_out 'innermost.* \[inlined\] inlined.c:3$'
expect_out 'between.* \[inlined\] inlined.c:6$'
expect_out 'holder.* \[inlined\] inlined.c:9$'
place=$(nm "$tmp/inlined" | awk '$3 == "holder" { print $1 }')
addr2line -i -f -s -e "$tmp/inlined" "$(printf '%x' $((0x$place + 0x14)))" >"$tmp/lines"
expect_equal "$(grep -vc : "$tmp/lines")" 3 "functions at one place of holder, as addr2line has it"
