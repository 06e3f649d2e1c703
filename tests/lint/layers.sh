#!/bin/bash
# What scripts/check-layers looks at is in order.
source "$(dirname "$0")/../lib.sh"

run "$SOURCE_DIR/scripts/check-layers"
expect_status 0
expect_silence out
