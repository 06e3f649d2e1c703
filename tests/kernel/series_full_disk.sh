#!/bin/bash
# A disk fills up, a directory disappears, a file system becomes read-only: each is reported once, the run continues and
# tries the next interval. When writing works again, that is reported with the number of missing reports. The exit
# status is 1.
source "$(dirname "$0")/sampling.bash"

small=$(mktemp -d "${TMPDIR:-/tmp}/profile-test-disk.XXXXXX")
at_exit "rmdir '$small'"
mount -t tmpfs -o size=256k tmpfs "$small" || skip "no file system can be mounted here"
at_exit "umount '$small'"

burn leaves 600/3
leaves=$started
# Also fills the space that a failed report has freed.
fill() { head -c 1000000 /dev/zero >>"$small/filler" 2>/dev/null; }
# files : prints how many there are.
files() { find "$small" -name 'n-*.txt' | wc -l; }
more_than() { (($(files) > $1)); }
says() { grep -Eq -- "$1" "$tmp/err"; }

begin -F 499 -i 0.2 -p "$leaves" -o "$small/n-%04d.txt" -o "$tmp/all.folded"
wait_until more_than 1
fill
wait_until says 'No space left on device'
pause 1
written=$(files)
rm "$small/filler"
wait_until says 'is written'
wait_until more_than "$((written + 1))"

mount -o remount,ro "$small"
wait_until says 'Read-only file system'
mount -o remount,rw "$small"
wait_until more_than "$((written + 3))"
kill -INT "$profiler"
finish
expect_status 1
expect_balance
# One line at the beginning and one at the end of each failure. No other output loses a report.
sed -nE 's/^profile: (cannot write )?.*/\1x/p' "$tmp/err" | uniq -c >"$tmp/told"
if grep -qvE '^ +1 ' "$tmp/told" || (($(wc -l <"$tmp/told") < 4)); then fail "said twice, or not at all; $(outcome)"; fi
expect_err '^profile: cannot write .*/n-[0-9]{4}\.txt: No space left on device; the run goes on'
expect_err '^profile: .*/n-[0-9]{4}\.txt is written; [0-9]+ reports before it could not be$'
expect_folded_total "$tmp/all.folded"
# No incomplete file, and no gap in the numbers.
expect_equal "$(find "$small" -name '.*' -type f | wc -l)" 0 "hidden files left behind"
for ((i = 1; i <= $(files); i++)); do
  grep -q '^Sampling at ' "$small/n-$(printf %04d "$i").txt" || fail "number $i is missing or not whole"
done

# The directory disappears, with the one above it, and returns.
rm -rf "${small:?}"/*
mkdir -p "$small/d/d"
begin -F 499 -i 0.2 -p "$leaves" -o "$small/d/d/n-%04d.txt"
wait_until more_than 1
mv "$small/d" "$small/e"
wait_until says 'No such file or directory'
mv "$small/e" "$small/d"
wait_until says 'is written'
mv "$small/d" "$small/e"
pause 1
kill -INT "$profiler"
finish
expect_status 1
expect_balance
# It is missing until the end, so the message says how many reports were not written.
expect_err '^profile: [0-9]+ reports of .*/d/n-%04d\.txt were not written$'

# With --keep the oldest files make room for the newest, on a disk with room for exactly that many.
rm -rf "${small:?}"/*
# With function names alone the few stacks take less than a page. Three files are kept, and a fourth is being written.
mount -o "remount,size=$((4 * $(getconf PAGESIZE) / 1024))k" "$small"
begin -f -F 499 -U -i 0.2 --keep 3 -p "$leaves" -o "$small/n-%04d.txt" -o "$tmp/kept-%04d.folded"
wait_until test -e "$tmp/kept-0010.folded"
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_equal "$(files)" 3 "files kept"

# The disk stays full: every report is lost, and every other output is complete.
rm -rf "${small:?}"/*
begin -F 499 -i 0.2 -p "$leaves" -o "$small/n-%04d.txt" -o "$tmp/all.folded"
fill
wait_until says 'No space left on device'
kill -INT "$profiler"
finish
expect_status 1
expect_balance
expect_folded_total "$tmp/all.folded"

# The same for the single report of a run without intervals.
fill
profile -F 499 -p "$leaves" -o "$small/n-%s.txt" 0.5
expect_status 1
expect_err '^profile: cannot write .*/n-[0-9]+\.txt: No space left on device$'
expect_equal "$(grep -c '^profile: ' "$tmp/err")" 1 "lines that say it"
