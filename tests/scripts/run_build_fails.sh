#!/bin/bash
# When the build fails, scripts/run prints the end of the log and a line that names the log, and starts nothing.
source "$(dirname "$0")/checkout.bash"
need_root
make_checkout "$tmp/checkout"

CMAKE_FAILS=--build run_script -f
expect_status 1
expect_silence out
expect_err '^run: the build failed; the whole log is .*/build/run.log$'
expect_err 'cmake talks on stdout'
