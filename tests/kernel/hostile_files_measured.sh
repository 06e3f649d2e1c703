#!/bin/bash
# How much of a CPU it takes to be beside files that are large and cost nothing.
# shellcheck disable=SC2034
measured=1
source "$(dirname "$0")/hostile_files.sh"
