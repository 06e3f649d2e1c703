#!/bin/bash
# --modules distinguishes functions of the same name in two files. --lines shows the source line of each frame, and
# inlined functions as their own frames.
source "$(dirname "$0")/compiling.bash"
need_command addr2line

cat >"$tmp/library.c" <<'C'
#include "workload.h"
ALIGNED static void same_name(unsigned long unit) { WORK(unit); }
void library_turn(unsigned long unit) { same_name(unit); }
C
cat >"$tmp/program.c" <<'C'
#include "workload.h"
void library_turn(unsigned long unit);
ALIGNED static void same_name(unsigned long unit) { WORK(2 * unit); }
int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  while (goes_on) {
    const unsigned long unit = next_unit();
    same_name(unit);
    library_turn(unit);
  }
}
C
build "$tmp/libtwin.so" "$tmp/library.c" -fPIC -shared
build "$tmp/twin" "$tmp/program.c" "$tmp/libtwin.so" "-Wl,-rpath,$tmp"
start "$tmp/twin" 600
sample_work "$started" 70 -F 1999 -U --modules
expect_near ';main \[twin\];same_name \[twin\] ' 66.7
expect_near ';main \[twin\];library_turn \[libtwin.so\];same_name \[libtwin.so\] ' 33.3
sample_work "$started" 30 -F 999 -U
expect_absent '\[(twin|libtwin.so)\]'
kill "$started"

# Two functions are inlined into each other and into a third. The comments in the source give the line numbers.
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
sample_work "$started" 60 -F 999 -U --lines
expect_share ';main inlined.c:17;holder inlined.c:9;between inlined.c:6;innermost inlined.c:3 ' 25 75
expect_share ';main inlined.c:18;bare_one inlined.c:12 ' 25 75
sample_work "$started" 30 -F 999 -U
expect_share ';main;holder ' 25 75
expect_absent '(between|innermost|inlined\.c:)'

# addr2line must agree.
begin -F 999 -U --lines -A -p "$started" -o -
wait_until has_begun
let_work "$started" 30
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_out 'innermost.* \[inlined\] inlined.c:3$'
expect_out 'between.* \[inlined\] inlined.c:6$'
expect_out 'holder.* \[inlined\] inlined.c:9$'
place=$(nm "$tmp/inlined" | awk '$3 == "holder" { print $1 }')
addr2line -i -f -s -e "$tmp/inlined" "$(printf '%x' $((0x$place + 0x14)))" >"$tmp/lines"
expect_equal "$(grep -vc : "$tmp/lines")" 3 "functions at one place of holder, as addr2line has it"
