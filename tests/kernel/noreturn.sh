#!/bin/bash
# A function whose last instruction is a call has its own name in the stack, not the name of the function behind it.
source "$(dirname "$0")/sampling.bash"

burn last_call 600
sample_work "$started" 40 -F 999
expect_share ';main;caller;never_returns( |;)' 95 100
expect_absent behind_it
