#!/bin/bash
# -U shows only user frames, -K only kernel frames, and neither loses a sample.
source "$(dirname "$0")/sampling.bash"

burn reader 600
reader=$started
wait_until is_at_work "$reader"

sample_enough 60 -F 499 -U -p "$reader" 0.5
expect_share ';main;drain_zero ' 90 100
expect_absent 'vfs_read'

sample_enough 60 -F 499 -K -p "$reader" 0.5
expect_share '^reader;([^;]+;)*ksys_read;vfs_read(;| )' 90 100
expect_absent ';main;|drain_zero'

# The part that was not requested is not reported as missed.
sought=('^    drain_zero\+0x')
sample_until is_seen -F 499 -U -p "$reader" 0.3
expect_out 'by user stack for [0-9.]+ secs\.$'
expect_no_out 'kernel\]|Missed'
