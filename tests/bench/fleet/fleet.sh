#!/bin/bash
# What a store needs for a thousand machines, what its reports take, and what an agent costs: fleet.py in this folder tells
# how. It starts a ClickHouse server on the loopback, and prints the tables of README.md. Needs root.
#   fleet.sh PROFILE [ARGUMENT...] : the program to run, and arguments for fleet.py.
PROFILE=$(realpath "${1:?the program to run}")
SOURCE_DIR=$(realpath "$(dirname "$0")/../../..")
export PROFILE SOURCE_DIR
export BUILD_DIR=${PROFILE%/*} WORKLOADS=${WORKLOADS:-none} SANITIZED=0 PYTHONDONTWRITEBYTECODE=1
source "$SOURCE_DIR/tests/kernel/store.bash"

serve_store
# shellcheck disable=SC2154 # set by serve_store
python3 "$SOURCE_DIR/tests/bench/fleet/fleet.py" --port "$port" --pid "$server" "${@:2}"
