#!/bin/bash
# The code is formatted as .clang-format says.
source "$(dirname "$0")/../lib.sh"
need_command clang-format
"$SOURCE_DIR/scripts/lint" format
