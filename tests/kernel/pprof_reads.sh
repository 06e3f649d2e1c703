#!/bin/bash
# `go tool pprof` reads our files: its totals are those of the folded lines in every unit, and functions, labels and
# mappings are there.
source "$(dirname "$0")/../lib.sh"
need_kernel
need_command go readelf

# pprof ARGUMENTS... : runs Go's tool without the user's settings and binaries; its stdout goes to $tmp/pprof.
pprof() {
  (cd "$tmp" && HOME=$tmp GOFLAGS='' PPROF_BINARY_PATH=$tmp/none go tool pprof "$@") >"$tmp/pprof" 2>"$tmp/pprof.err" ||
    fail "pprof $*: $(tail -n 5 "$tmp/pprof.err")"
}
expect_pprof() { grep -Eq -- "$1" "$tmp/pprof" || fail "no line of pprof's matches '$1': $(head -n 60 "$tmp/pprof")"; }
# top FILE TYPE [ARGUMENTS...] : lists every function, without rounding.
top() { pprof -top -nodecount=100000 -nodefraction=0 -sample_index="$2" "${@:3}" "$1"; }
# Prints the shown total and the whole total, without the unit.
shown_and_total() { sed -nE 's/^Showing nodes accounting for ([0-9]+)[a-z]*, .* of ([0-9]+)[a-z]* total$/\1 \2/p' "$tmp/pprof"; }
flat_of() { awk -v name="$1" '$6 == name { print $1 + 0 }' "$tmp/pprof"; }
# Prints the sum of column N over all samples.
raw_total() { awk -v column="$1" '/^Locations$/ { exit } /^ +[0-9].*: [0-9 ]+$/ { sum += $column } END { printf "%.0f\n", sum }' "$tmp/pprof"; }

start "$WORKLOADS/leaves" 600
leaves=$started
start "$WORKLOADS/reader" 600
reader=$started
there_are_all() { has_samples "$tmp/a.folded" ';main;outer;middle;heavy [0-9]+$' ';light [0-9]+$' '[; ]vfs_read'; }
profile_until there_are_all -F 999 -p "$leaves,$reader" -o "$tmp/a.pb.gz" -o "$tmp/a.folded"
total=$(folded_total . "$tmp/a.folded")

top "$tmp/a.pb.gz" samples
expect_equal "$(shown_and_total)" "$total $total" "samples, shown and in all"
expect_equal "$(flat_of heavy)" "$(folded_total '[; ]heavy [0-9]+$' "$tmp/a.folded")" "samples of heavy itself"
for function in main outer middle heavy light vfs_read; do expect_pprof " $function\$"; done
top "$tmp/a.pb.gz" cpu -unit=ns
expect_equal "$(shown_and_total)" "$((total * 1001001)) $((total * 1001001))" "nanoseconds at 999 Hertz"
top "$tmp/a.pb.gz" samples -tagfocus="pid=$leaves"
expect_equal "$(shown_and_total | cut -d' ' -f1)" "$(folded_total '^leaves;' "$tmp/a.folded")" "samples of one pid"

pprof -raw "$tmp/a.pb.gz"
expect_equal "$(raw_total 1)" "$total" "samples in -raw"
expect_pprof '^PeriodType: cpu nanoseconds$'
expect_pprof '^Period: 1001001$'
expect_pprof '^samples/count cpu/nanoseconds\[dflt\]$'
expect_pprof '^Comment: [0-9]+ samples taken: '"$total"' recorded, '
expect_pprof '^ +process:\[leaves\] thread:\[leaves\]$'
expect_pprof "^ +pid:\[$reader\]\$"
expect_pprof '^ +[0-9]+: 0xffff[0-9a-f]+ M=[0-9]+ vfs_read '
build_id=$(readelf -n "$WORKLOADS/leaves" | awk '/Build ID/ { print $3 }')
expect_pprof "^[0-9]+: 0x[0-9a-f]+000/0x[0-9a-f]+000/0x[0-9a-f]+ /.*/leaves $build_id \\[FN\\]\$"
# The lower digits of an address are the file's own. Without a conflict with another file, all digits are.
expect_pprof "^ +[0-9]+: 0x([0-9a-f]+0{4})?$(nm "$WORKLOADS/leaves" | awk '$3 == "heavy" { print substr($1, 1, length($1) - 3) }' | sed 's/^0*//')[0-9a-f]{3} M=[0-9]+ (heavy|light|middle|outer|main) "
expect_pprof '^[0-9]+: 0x0/0x0/0x0 \[kernel\] '

# pprof shows our line numbers.
has_heavy() { has_samples "$tmp/lines.folded" '[; ]heavy '; }
profile_until has_heavy -F 999 --lines -p "$leaves" -o "$tmp/lines.pb.gz" -o "$tmp/lines.folded"
pprof -raw "$tmp/lines.pb.gz"
expect_pprof " heavy .*/leaves\.c:$(line_of leaves heavy) "
expect_pprof '[ /]leaves .*\[FN\]\[FL\]\[LN\]'

# The source and assembly views have the same amounts for a function as the folded lines, flat and cumulative.
has_both() { has_samples "$tmp/code.folded" '[; ]heavy [^;]*[0-9]+$' '[; ]light [^;]*[0-9]+$'; }
profile_until has_both -F 999 --lines -p "$leaves" -o "$tmp/code.pb.gz" -o "$tmp/code.folded"
sum_of_shown() { sed -nE 's/^[^0-9]*([0-9]+) +([0-9]+) *\(flat, cum\) *[0-9.]+%.*/\'"$1"'/p' "$tmp/pprof" | awk '{ sum += $1 } END { print sum + 0 }'; }
for function in heavy light; do
  itself=$(folded_total "[; ]$function [^;]*[0-9]+\$" "$tmp/code.folded")
  all=$(folded_total "[; ]$function " "$tmp/code.folded")
  ((itself > 0)) || fail "only $itself samples of $function; $(outcome)"
  for view in list disasm weblist; do
    pprof -"$view" "$function" -sample_index=samples -output "$tmp/shown" "$tmp/code.pb.gz"
    sed 's/<[^>]*>//g' "$tmp/shown" >"$tmp/pprof"
    # Go's disassembler leaves out a final one-byte instruction, the return. Very few samples are there.
    rare=$([[ $view == disasm ]] && echo $((3 + all / 100)) || echo 0)
    expect_between "$(sum_of_shown 1)" $((itself - rare)) "$itself" "-$view $function, itself"
    expect_between "$(sum_of_shown 2)" $((all - rare)) "$all" "-$view $function, with what it calls"
  done
done
# Two files with equal addresses are not mixed up.
cp "$WORKLOADS/leaves" "$tmp/leaves2"
start "$tmp/leaves2" 600
are_two() { has_samples "$tmp/two.folded" '^leaves;.*[; ]heavy ' '^leaves2;.*[; ]heavy '; }
profile_until are_two -F 999 --lines -p "$leaves,$started" -o "$tmp/two.pb.gz" -o "$tmp/two.folded"
pprof -list '^heavy$' -sample_index=samples "$tmp/two.pb.gz"
expect_equal "$(sum_of_shown 1)" "$(folded_total '[; ]heavy [^;]*[0-9]+$' "$tmp/two.folded")" "-list of two files"

# agrees FILE TYPE [UNIT [COLUMN]] : the total of FILE.pb.gz, in its second value or in COLUMN, equals that of
# FILE.folded.
agrees() {
  expect_status 0
  local sum
  sum=$(folded_total . "$tmp/$1.folded")
  ((sum > 0)) || fail "nothing was recorded; $(outcome)"
  top "$tmp/$1.pb.gz" "$2" ${3:+-unit="$3"}
  expect_equal "$(shown_and_total)" "$sum $sum" "$1: $2"
  pprof -raw "$tmp/$1.pb.gz"
  expect_equal "$(raw_total "${4:-2}")" "$sum" "$1: $2 in -raw"
}
profile -e off-cpu -o "$tmp/waits.pb.gz" -o "$tmp/waits.folded" -- sleep 0.3
agrees waits off_cpu us
expect_pprof '^waits/count off_cpu/microseconds\[dflt\]$'
profile -e page-faults -c 1 -o "$tmp/faults.pb.gz" -o "$tmp/faults.folded" -- "$WORKLOADS/leaves" 0.1
agrees faults page_faults
profile -e syscalls -o "$tmp/calls.pb.gz" -o "$tmp/calls.folded" -- "$WORKLOADS/reader" 0.1
# Each call counts as one, so there is only one value.
agrees calls calls "" 1
