#!/bin/bash
# A user without privilege must not delay the profiler with large files that cost nothing to make: programs that claim
# millions of symbols, and perf maps of a gigabyte. Other users' files are still read, and later reports cost almost
# nothing.
# Promise 6: no file of another user is parsed by the main process, or can stop it.
source "$(dirname "$0")/children.bash"
need_command setpriv timeout

# make_large PROGRAM COPY : makes a copy that claims two tables of eight million symbols. Both are holes, except for a
# first symbol that covers all the code and has no name, so the reader searches each whole table.
make_large() {
  python3 - "$1" "$2" <<'END'
import os, struct, sys
content = bytearray(open(sys.argv[1], "rb").read())
content += bytes(-len(content) % 8)
headers_at, table_bytes = len(content), 24 * 8_000_000
header = struct.Struct("<IIQQQQIIQQ")
begin = headers_at + 4 * header.size
content += header.pack(*[0] * 10)
content += header.pack(0, 3, 2, 0, 0, 4096, 0, 0, 1, 0)
content += header.pack(0, 2, 0, 0, begin, table_bytes, 1, 0, 8, 24)
content += header.pack(0, 11, 2, 0, begin + table_bytes, table_bytes, 1, 0, 8, 24)
struct.pack_into("<Q", content, 40, headers_at)
struct.pack_into("<HHH", content, 58, 64, 4, 0)
nameless = struct.pack("<IBBHQQ", 9, 0x12, 0, 1, 0, 1 << 40)
with open(sys.argv[2], "wb") as copy:
    copy.write(content)
    copy.write(nameless)
    copy.seek(begin + table_bytes)
    copy.write(nameless)
    copy.truncate(begin + 2 * table_bytes)
os.chmod(sys.argv[2], 0o755)
os.chown(sys.argv[2], 65534, 65534)
END
}

chmod 755 "$tmp"
pids=()
for number in {1..4}; do
  make_large "$WORKLOADS/jit" "$tmp/large$number"
  start setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/large$number" silent 600/3
  pids+=("$started")
  map=/tmp/perf-$started.map
  at_exit "rm -f '$map'"
  truncate -s 1G "$map"
  chown 65534 "$map"
done
burn jit plain 600/3
honest=$started
at_exit "rm -f /tmp/perf-$honest.map"
wait_until test -s "/tmp/perf-$honest.map"

# The profiler spends its own budget, and the summary says what it left out.
list=$(IFS=,; echo "$honest,${pids[*]}")
# hostile_files_measured.sh sets `measured`; only then is the CPU time checked.
TIMEFORMAT='%U %S'
run_of_all() {
  begin -U -o - -o "$tmp/all.folded" -F 999 -p "$list"
  wait_until has_begun
  let_work "$honest" 20
  # Each of the other programs has samples, too.
  for pid in "${pids[@]}"; do let_work "$pid" 20; done
  kill -INT "$profiler"
  finish
  mv "$tmp/all.folded" "$tmp/out"
}
{ time run_of_all; } 2>"$tmp/cpu"
expect_status 0
expect_balance
expect_folded_total
expect_present ';main;run_made;made_loop '
too_large='[0-9]+ in a file too large to be read \(--symbol-budget raises the bound\)'
expect_err "$too_large"
expect_no_err 'damaged'
# CPU time, not elapsed time, because the programs leave the profiler little CPU.
measured=${measured:-}
if [[ $measured ]]; then need_timeliness; fi
[[ ! $measured ]] || expect_between "$(awk '{ printf "%.0f", ($1 + $2) * 1000 }' "$tmp/cpu")" 1 $((SANITIZED ? 20000 : 4000)) "milliseconds of CPU time"

# With a budget that is a hundred times larger, the profiler reads them.
sample_work "${pids[0]}" 30 -U -F 999 --symbol-budget 100
expect_no_err 'too large'
sample_work "${pids[0]}" 30 -U -F 999
expect_err "$too_large"

# In many reports: a file that was too large is not read again, and all reports together use about one budget.
# read_by PID : prints how many bytes the process has read.
read_by() { sed -n 's/^rchar: //p' "/proc/$1/io"; }
# work_of_all : prints the CPU time of the profiler and its children, in hundredths of a second.
work_of_all() {
  local sum=0 pid
  for pid in "$profiler" "$(child profile-keeper)" "$(child profile-opener)" "$(child profile-parser)"; do
    sum=$((sum + $(work_of "$pid")))
  done
  printf '%s' "$sum"
}
reports() { find "$tmp/reports" -name 'at-*' | wc -l; }
has_reported() { (($(reports) >= $1)); }
mkdir "$tmp/reports"
begin -U -f -F 99 -i 0.3 -o "$tmp/reports/at-%03d" -p "$list"
wait_until has_reported 10
parser=$(child profile-parser) reports_before=$(reports)
before=$(work_of_all) parser_before=$(work_of "$parser") read_before=$(read_by "$parser")
wait_until has_reported $((reports_before + 4))
after=$(work_of_all) parser_after=$(work_of "$parser") read_after=$(read_by "$parser")
reports=$(($(reports) - reports_before))
child profile-parser >"$tmp/parser"
kill -INT "$profiler"
finish
expect_status 0
expect_balance
cat "$tmp/reports"/at-* >"$tmp/out"
expect_present ';main;run_made;made_loop '
expect_err "$too_large"
expect_equal "$(cat "$tmp/parser")" "$parser" "the parser at the end"
# The whole budget is some 190 MB. A later report may read 10 MB.
((read_before > 50000000)) || fail "the parser has read just $read_before bytes of what is too large"
expect_between $((read_after - read_before)) 0 $(((reports + 2) * 10000000)) "bytes that the parser has read in $reports more reports"
[[ $measured ]] || exit 0
expect_between "$before" 1 $((SANITIZED ? 1500 : 350)) "hundredths of a second of CPU time, all that is too large read"
expect_between $((parser_after - parser_before)) 0 $((SANITIZED ? 40 : 8)) "hundredths of the parser in four more reports"
expect_between $((after - before)) 0 $((SANITIZED ? 400 : 60)) "hundredths of a second of all in four more reports"
