#!/bin/bash
# A disk that fills, a directory that goes away, a file system that becomes read-only: said once, the run goes on, the
# next interval is tried, and when it works again that is said, with how many reports are missing. Exit status 1.
source "$(dirname "$0")/sampling.bash"

small=$(mktemp -d "${TMPDIR:-/tmp}/profile-test-disk.XXXXXX")
at_exit "rmdir '$small'"
mount -t tmpfs -o size=256k tmpfs "$small" || skip "no file system can be mounted here"
at_exit "umount '$small'"

burn leaves 600/3
leaves=$started
# Also what a report that failed has given back.
fill() { head -c 1000000 /dev/zero >>"$small/filler" 2>/dev/null; }
# files : how many there are.
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
# One line when it begins and one when it is over, and no report is lost elsewhere.
sed -nE 's/^profile: (cannot write )?.*/\1x/p' "$tmp/err" | uniq -c >"$tmp/told"
if grep -qvE '^ +1 ' "$tmp/told" || (($(wc -l <"$tmp/told") < 4)); then fail "said twice, or not at all; $(outcome)"; fi
expect_err '^profile: cannot write .*/n-[0-9]{4}\.txt: No space left on device; the run goes on'
expect_err '^profile: .*/n-[0-9]{4}\.txt is written; [0-9]+ reports before it could not be$'
expect_folded_total "$tmp/all.folded"
# Nothing half-written, no gap in the numbers.
expect_equal "$(find "$small" -name '.*' -type f | wc -l)" 0 "hidden files left behind"
for ((i = 1; i <= $(files); i++)); do
  grep -q '^Sampling at ' "$small/n-$(printf %04d "$i").txt" || fail "number $i is missing or not whole"
done

# The directory goes away and comes back.
rm -rf "${small:?}"/*
mkdir "$small/d"
begin -F 499 -i 0.2 -p "$leaves" -o "$small/d/n-%04d.txt"
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
# Until the end: how many that was stands there.
expect_err '^profile: [0-9]+ reports of .*/d/n-%04d\.txt were not written$'

# With --keep the oldest make room for the newest, on a disk with room for just as many.
rm -rf "${small:?}"/*
# By function alone its few stacks take less than a page: three are kept and one is being written.
mount -o "remount,size=$((4 * $(getconf PAGESIZE) / 1024))k" "$small"
begin -f -F 499 -U -i 0.2 --keep 3 -p "$leaves" -o "$small/n-%04d.txt" -o "$tmp/kept-%04d.folded"
wait_until test -e "$tmp/kept-0010.folded"
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_equal "$(files)" 3 "files kept"

# A disk that stays full: every report is lost and every other output is whole.
rm -rf "${small:?}"/*
begin -F 499 -i 0.2 -p "$leaves" -o "$small/n-%04d.txt" -o "$tmp/all.folded"
fill
wait_until says 'No space left on device'
kill -INT "$profiler"
finish
expect_status 1
expect_balance
expect_folded_total "$tmp/all.folded"

# And of a run without intervals the one report.
fill
profile -F 499 -p "$leaves" -o "$small/n-%s.txt" 0.5
expect_status 1
expect_err '^profile: cannot write .*/n-[0-9]+\.txt: No space left on device$'
expect_equal "$(grep -c '^profile: ' "$tmp/err")" 1 "lines that say it"
