#!/bin/bash
# A user without privilege cannot hold the profiler up with files that are large and cost nothing: programs that claim millions
# of symbols, and perf maps of a gigabyte. The files of others are still read.
source "$(dirname "$0")/sampling.bash"
need_command setpriv timeout

# make_large PROGRAM COPY : the same program, and it claims two tables of eight million symbols that are holes in it.
make_large() {
  python3 - "$1" "$2" <<'END'
import os, struct, sys
content = bytearray(open(sys.argv[1], "rb").read())
content += bytes(-len(content) % 8)
headers_at, table_bytes = len(content), 24 * 8_000_000
header = struct.Struct("<IIQQQQIIQQ")
begin = headers_at + 4 * header.size
content += header.pack(*[0] * 10)
content += header.pack(0, 3, 0, 0, 0, 4096, 0, 0, 1, 0)
content += header.pack(0, 2, 0, 0, begin, table_bytes, 1, 0, 8, 24)
content += header.pack(0, 11, 2, 0, begin + table_bytes, table_bytes, 1, 0, 8, 24)
struct.pack_into("<Q", content, 40, headers_at)
struct.pack_into("<HHH", content, 58, 64, 4, 0)
with open(sys.argv[2], "wb") as copy:
    copy.write(content)
    copy.truncate(begin + 2 * table_bytes)
os.chmod(sys.argv[2], 0o755)
os.chown(sys.argv[2], 65534, 65534)
END
}

chmod 755 "$tmp"
pids=()
for number in {1..8}; do
  make_large "$WORKLOADS/jit" "$tmp/large$number"
  start setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/large$number" silent 60
  pids+=("$started")
  map=/tmp/perf-$started.map
  at_exit "rm -f '$map'"
  truncate -s 1G "$map"
  chown 65534 "$map"
done
burn jit plain 60
honest=$started
at_exit "rm -f /tmp/perf-$honest.map"
wait_until test -s "/tmp/perf-$honest.map"

# A budget of the profiler's own is spent, and the summary says what came of it.
list=$(IFS=,; echo "$honest,${pids[*]}")
TIMEFORMAT='%U %S'
{ time run timeout -s KILL 120 "$PROFILE" -U -f -F 999 -p "$list" 1; } 2>"$tmp/cpu"
expect_status 0
expect_balance
expect_folded_total
expect_present ';main;run_made;made_loop '
expect_err 'file damaged or no ELF file'
expect_err 'JIT code without a perf map'
# Of a CPU, of which the programs leave it little.
expect_between "$(awk '{ printf "%.0f", ($1 + $2) * 1000 }' "$tmp/cpu")" 1 $((SANITIZED ? 20000 : 4000)) "milliseconds of CPU time"
