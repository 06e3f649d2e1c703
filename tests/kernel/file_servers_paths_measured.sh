#!/bin/bash
# How soon Ctrl-C ends a run that waits for a file system without an answer: before the wait would end by itself.
# shellcheck disable=SC2034
soon_us=6000000
source "$(dirname "$0")/file_servers_paths.sh"
