#!/bin/bash
# How much CPU time the profiler uses beside large files that cost nothing to make.
# shellcheck disable=SC2034
measured=1
source "$(dirname "$0")/hostile_files.sh"
