#!/bin/bash
# -L samples the threads it names and no other of the same process.
source "$(dirname "$0")/sampling.bash"

burn threads 60
red=$(tid_of "$started" red)
green=$(tid_of "$started" green)

sample_folded -F 499 -L "$red" 0.5
expect_share '^red;.*burn_red' 100 100
sample_folded -F 499 -L "$green,$red" 0.5
expect_present '^red;.*burn_red'
expect_present '^green;.*burn_green'
expect_share '^(red|green);' 100 100

# In the counted rows stand the thread's name and the process's id.
sample -F 499 -L "$green" 0.3
expect_out "of TID \[$green\] by user \+ kernel stack"
expect_out "^    -                green \($started\)$"
expect_no_out burn_red
