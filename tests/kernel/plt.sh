#!/bin/bash
# The stub through which a program calls a library function has the name of that function.
source "$(dirname "$0")/compiling.bash"

cat >"$tmp/callee.c" <<'C'
void library_nothing(void) {}
C
cat >"$tmp/caller.c" <<'C'
#include "workload.h"
#define CALL8(what) what what what what what what what what
void library_nothing(void);
int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  while (goes_on) {
    /* As many as it takes for the stub to have its share of the samples: looking at the flag waits for memory. */
    CALL8(CALL8(library_nothing();))
  }
}
C
for option in -fcf-protection=none -fcf-protection=full; do
  build "$tmp/libcallee.so" "$tmp/callee.c" -fPIC -shared
  build "$tmp/caller" "$tmp/caller.c" "$tmp/libcallee.so" "-Wl,-rpath,$tmp" -fplt "$option"
  # The workload checks a clock rarely, because the function is only a few instructions. It must not end before it is
  # sampled.
  start "$tmp/caller" 600
  sample_work "$started" 60 -F 4999 -U
  expect_present ';library_nothing '
  expect_present ';library_nothing@plt '
  expect_absent '\[caller\+0x'
  kill "$started"
done
