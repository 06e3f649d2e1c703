#!/usr/bin/env bash
# A probe that is impossible gives a message that says why: a missing part, a file that is not a program, or an unknown
# name.
source "$(dirname "$0")/sampling.bash"

# refused STATUS PATTERN EVENT [ARGUMENT...]
refused() {
  profile -e "$3" "${@:4}" 0.2
  expect_status "$1"
  expect_err "^profile: .*$2"
  expect_silence out
}
mkfifo "$tmp/fifo"
: >"$tmp/empty"
hits=$WORKLOADS/hits

refused 2 'FILE and SYMBOL are missing' uprobe
refused 2 'SYMBOL is missing' uprobe:
refused 2 'SYMBOL is missing' uprobe:libc
refused 2 'SYMBOL is missing' uprobe:libc:
refused 2 'FILE is missing' uprobe::malloc
refused 2 '-F' "uprobe:$hits:framed_target" -F 99
refused 2 '--live' "uprobe:$hits:framed_target" --live
refused 1 'No such file' "uprobe:$tmp/absent:main"
refused 1 'a directory' "uprobe:$tmp:main"
refused 1 'not a regular file' "uprobe:$tmp/fifo:main"
refused 1 'not a regular file' uprobe:/dev/zero:main
refused 1 'ELF' "uprobe:$tmp/empty:main"
refused 1 'ELF' uprobe:/etc/passwd:root
refused 1 'no library or command nosuchlibrary' uprobe:nosuchlibrary:main
refused 1 'no function framed_targe in .*nearest: framed_target' "uprobe:$hits:framed_targe"
refused 1 'target_of_data.* is data' "uprobe:$hits:target_of_data"
refused 1 'framed_target is only 0x[0-9a-f]+ bytes long' "uprobe:$hits:framed_target+0x1000"
refused 1 'no function framed_target\+0xz' "uprobe:$hits:framed_target+0xz"
# An endless name costs far less than the 20 s of CPU time that a file may take.
TIMEFORMAT='%U %S'
{ time refused 1 'was given up: it did not come to an end' "uprobe:$WORKLOADS/endless_name:absent"; } 2>"$tmp/cpu"
expect_between "$(awk '{ printf "%.0f", ($1 + $2) * 1000 }' "$tmp/cpu")" 0 $((16000 * slowness)) "milliseconds of CPU time of a search"
refused 1 'IFUNC' uprobe:libc:strlen
