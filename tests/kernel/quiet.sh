#!/bin/bash
# -q says nothing on stderr and changes nothing on stdout; -v says much.
source "$(dirname "$0")/sampling.bash"

burn leaves 600
profile -q -f -F 499 -p "$started" 0.4
expect_status 0
expect_silence err
expect_present ';main;outer;middle;heavy '
profile -q -- sh -c 'exit 4'
expect_status 4
expect_silence err

profile -v -f -F 499 -p "$started" 0.4
expect_status 0
expect_err libbpf
expect_balance
expect_folded_total
