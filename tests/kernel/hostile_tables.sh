#!/bin/bash
# Programs of one user whose unwind tables cost more than that user may take: other programs still get theirs, the run
# says what was left out, and all these files together cost a few seconds of a CPU.
source "$(dirname "$0")/children.bash"
walks_by_tables || skip "user stacks are not walked by tables here"
need_command setpriv python3

# They are sampled in a cgroup of their own: other tests may run at the same time, with files that do not answer.
need_group

# make_costly PROGRAM COPY NUMBER : makes a copy with two thousand CIEs that share a megabyte of instructions. Each FDE
# has another CIE. The number makes it another file.
make_costly() {
  python3 - "$@" <<'END'
import os, struct, sys
content = bytearray(open(sys.argv[1], "rb").read())
header = struct.Struct("<IIQQQQIIQQ")
begin, = struct.unpack_from("<Q", content, 40)
count, names_at = struct.unpack_from("<HH", content, 60)
sections = [list(header.unpack_from(content, begin + header.size * i)) for i in range(count)]
def section(name):
    at = sections[names_at][4]
    return next(s for s in sections if content[at + s[0]:content.index(0, at + s[0])] == name)
frames, code = section(b".eh_frame"), section(b".text")
most, cies = 1 << 20, []
bomb, at = bytearray(most), 0
for number in range(2000):
    if number:  # DW_CFA_val_expression r3: a block that is skipped, and holds the next CIE
        bomb[at:at + 3] = b"\x16\x03" + bytes([13])
        at += 3
    cies.append(at)
    bomb[at:at + 13] = struct.pack("<II", most - at - 4, 0) + b"\x01\0\x01\x78\x10"
    at += 13
bomb[at:] = (b"\x0a\x0b" * most)[:most - at]
for cie in cies:
    at = len(bomb)
    bomb += struct.pack("<IIQQ", 20, at + 4 - cie, code[3], code[5])
bomb += bytes(8) + sys.argv[3].encode()
content += bytes(-len(content) % 16)
frames[3:6] = [0x10000000, len(content), len(bomb)]
content += bomb + bytes(-len(bomb) % 8)
struct.pack_into("<Q", content, 40, len(content))
for s in sections:
    content += header.pack(*s)
open(sys.argv[2], "wb").write(content)
os.chmod(sys.argv[2], 0o755)
os.chown(sys.argv[2], 65534, 65534)
END
}

chmod 755 "$tmp"
pids=()
for number in {1..6}; do
  make_costly "$WORKLOADS/leaves" "$tmp/costly$number" "$number"
  start in_group setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/costly$number" 600/6
  pids+=("$started")
done
# hostile_tables_measured.sh sets `measured` and checks seconds, too.
measured=${measured:-}
# work_of_parsers : prints the CPU time of all parsers, in hundredths of a second.
work_of_parsers() {
  local sum=0 pid
  for pid in $(pgrep -x -P "$(child profile-keeper)" profile-parser); do sum=$((sum + $(work_of "$pid"))); done
  printf '%s' "$sum"
}
begin -U -f -F 499 -i 0.5 --cgroup "$group"
wait_until test -s "$tmp/out"
for pid in "${pids[@]}"; do let_work "$pid" 10; done
# It begins when the tables of the others have been asked for.
start in_group "$WORKLOADS/frameless" plain 600
# In a guest, the C library has only the names of its exported functions.
has_whole_stacks() {
  grep -qE '^frameless;_start;(__libc_start_main[^;]*;)?((__libc_start_call_main|\[libc\.[^;]*);)?main;first;second;third;spin ' "$tmp/out"
}
wait_until has_whole_stacks
work=$(work_of_parsers)
kill -INT "$profiler"
finish
expect_status 0
expect_balance_with_losses
expect_folded_total
# Each of these tables takes nine seconds to make, and a parser that is given up is replaced, with its time unknown.
expect_no_err 'given up'
expect_between "$work" 1 $((600 * slowness * (1 + 3 * SANITIZED))) "hundredths of a second that the parsers have worked"
# An emulated machine may take no sample before a table is there.
((${EMULATED:-0})) || expect_err '[0-9]+ files had no unwind table for some time'
[[ $measured ]] || exit 0

# A new run beside them.
began_us=${EPOCHREALTIME/./}
sample_folded -U -F 499 --cgroup "$group" 2
expect_between $((${EPOCHREALTIME/./} - began_us)) 2000000 $((4000000 + 6000000 * SANITIZED)) "microseconds of a run of two seconds"

# A signal ends a run at once, also while the parsers are at tables that would take them seconds.
has_parsed() { [[ $(child profile-keeper) ]] && (($(work_of_parsers) >= $1)); }
for part in 1 $((work / 4)) $((work / 2)); do
  begin -U -f -F 499 --cgroup "$group" 600
  wait_until has_parsed "$part"
  began_us=${EPOCHREALTIME/./}
  kill -INT "$profiler"
  finish
  took=$((${EPOCHREALTIME/./} - began_us))
  echo "ended $took us after a signal, which came after $part hundredths of work"
  expect_status 0
  expect_balance_with_losses
  expect_between "$took" 0 $((2000000 * slowness * (1 + 3 * SANITIZED))) "microseconds from SIGINT to the end"
done
