#!/bin/bash
# The code is formatted according to .clang-format.
source "$(dirname "$0")/../lib.sh"
need_command clang-format
"$SOURCE_DIR/scripts/lint" format
