#!/bin/bash
# When the build fails, scripts/run says so in one line that names the log, shows the end of it, and starts nothing.
source "$(dirname "$0")/checkout.bash"
need_root
make_checkout "$tmp/checkout"

CMAKE_FAILS=--build run_script -f
expect_status 1
expect_silence out
expect_err '^run: the build failed; the whole log is .*/build/run.log$'
expect_err 'cmake talks on stdout'
