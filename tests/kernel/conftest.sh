#!/bin/bash
# Programs with other functions at the same addresses are copied to one path in turn, run for some milliseconds, and
# removed, as ./configure does. The numbers of their inodes are used again: no function has the name of another one.
source "$(dirname "$0")/compiling.bash"

cat >"$tmp/program.c" <<'C'
#include <sys/prctl.h>
#include "workload.h"
/* conftest COMM TURNS NS : the thread gets that name, and its leaf works or, with NS, sleeps. */
void LEAF(unsigned long turns, long ns) {
  const struct timespec time = {0, ns};
  if (ns) call(SYS_nanosleep, (long)&time, 0, 0, 0);
  WORK(turns);
}
void INNER(unsigned long turns, long ns) { LEAF(turns, ns); KEEP_FRAME(); }
int main(int argc, char **argv) {
  if (argc != 4) return 2;
  prctl(PR_SET_NAME, argv[1]);
  for (int i = 0; i < 100; i++) INNER(strtoul(argv[2], 0, 10), atol(argv[3]));
}
C
for which in 1 2; do
  build "$tmp/program_$which" "$tmp/program.c" "-DLEAF=leaf_$which" "-DINNER=inner_$which"
done
expect_equal "$(nm "$tmp/program_1" | grep ' leaf_' | cut -d ' ' -f 1)" "$(nm "$tmp/program_2" | grep ' leaf_' | cut -d ' ' -f 1)" "addresses"

# in_turn RUNS TURNS NS : runs them, and leaves the numbers of the inodes in $tmp/inodes.
cat >"$tmp/in_turn" <<'SH'
cd "$(dirname "$0")" || exit
for ((run = 0; run < $1; run++)); do
  cp "program_$((run % 2 + 1))" conftest
  stat -c %i conftest
  ./conftest "truth_$((run % 2 + 1))" "$2" "$3"
  rm conftest
done >inodes
SH

for way in auto fp; do
  for source in cpu-clock off-cpu; do
    has_event "$source" || continue
    case $source in
      cpu-clock) sample -F 1997 -U --unwind "$way" -o "$tmp/run.folded" -- bash "$tmp/in_turn" 300 20000 0 ;;
      off-cpu) sample -e off-cpu -U --unwind "$way" -o "$tmp/run.folded" -- bash "$tmp/in_turn" 300 0 20000 ;;
    esac
    mv "$tmp/run.folded" "$tmp/out"
    for which in 1 2; do
      known=$(folded_total "^truth_$which;(.*;)?leaf_$which(;| )") all=$(folded_total "^truth_$which;")
      echo "$source, --unwind $way: $known of $all in leaf_$which"
      expect_absent "^truth_$which;.*_$((3 - which))(;| )"
      # A program that is gone before it was read has no names. On an idle machine, nine in ten have them.
      expect_between "$known" $((all / 4 + 1)) "$all" "samples in leaf_$which"
    done
    echo "$(sort -u "$tmp/inodes" | wc -l) inodes for $(wc -l <"$tmp/inodes") runs"
  done
done
