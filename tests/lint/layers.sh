#!/bin/bash
# scripts/check-layers finds nothing in this tree.
source "$(dirname "$0")/../lib.sh"

run "$SOURCE_DIR/scripts/check-layers"
expect_status 0
expect_silence out
