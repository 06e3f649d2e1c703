#!/bin/bash
# Code in a mapped file that is no ELF file, or a damaged one: each function keeps its place in the file.
source "$(dirname "$0")/sampling.bash"
for beginning in MZ $'\177ELF'; do
  sample -F 997 -U -o "$tmp/run.folded" -- "$WORKLOADS/foreign" "$tmp/blob.dll" "$beginning" 0.5cpu
  mv "$tmp/run.folded" "$tmp/out"
  expect_share '^foreign;.*main;\[blob\.dll\+0x310[0-9a-f]\] ' 60 85
  expect_share '^foreign;.*main;\[blob\.dll\+0x420[0-9a-f]\] ' 15 40
  expect_err 'file damaged or no ELF file'
done
