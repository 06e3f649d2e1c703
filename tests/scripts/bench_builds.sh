#!/bin/bash
# The programs of the benchmark build. They compile rooms of the profiler, and nothing else tells when these need more.
source "$(dirname "$0")/../lib.sh"
need_command cmake ninja
mkdir "$tmp/programs"
launchers=()
if command -v ccache >/dev/null; then launchers=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
run cmake -G Ninja "${launchers[@]}" -S "$SOURCE_DIR/tests/bench/programs" -B "$tmp/programs"
expect_status 0
run cmake --build "$tmp/programs"
expect_status 0
for program in unwind_figures scale_figures chain stopwatch; do
  [[ -x $tmp/programs/$program ]] || fail "there is no $program"
done
