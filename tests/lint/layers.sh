#!/bin/bash
# Includes point only down the layers, and the top level holds only what belongs there.
source "$(dirname "$0")/../lib.sh"

run "$SOURCE_DIR/scripts/check-layers"
expect_status 0
expect_silence out
