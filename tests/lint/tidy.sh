#!/bin/bash
# clang-tidy finds nothing in the code.
source "$(dirname "$0")/../lib.sh"
need_command clang-tidy ninja
[[ -e $BUILD_DIR/build.ninja ]] || skip "this directory was not built with Ninja"
"$SOURCE_DIR/scripts/lint" --build "$BUILD_DIR" tidy
