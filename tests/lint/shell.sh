#!/bin/bash
# The shell scripts pass shellcheck.
source "$(dirname "$0")/../lib.sh"
need_command shellcheck
"$SOURCE_DIR/scripts/lint" shell
