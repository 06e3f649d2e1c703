#!/bin/bash
# However a recording ends, the file is intact and its numbers add up: by a limit, a full disk, a kill.
source "$(dirname "$0")/sampling.bash"
need_command sqlite3

burn leaves 60
busy=$started
ask() { sqlite3 "$1" "$2"; }
# expect_sound FILE : the file is intact, and a report has each sample that the account of the file has.
expect_sound() {
  expect_equal "$(ask "$1" 'PRAGMA integrity_check')" ok "the file"
  profile report -q -f "$1"
  expect_status 0
  expect_equal "$(folded_total '' "$tmp/out")" "$(ask "$1" 'SELECT sum(recorded) FROM account')" "samples of the report"
  expect_equal "$(ask "$1" 'SELECT count(*) FROM samples')" "$(ask "$1" 'SELECT sum(recorded) FROM account')" "samples in the file"
}

# A ring has the newest seconds only.
sample -F 499 --keep 2s -p "$busy" -o "$tmp/ring.db" 5
removed=$(ask "$tmp/ring.db" 'SELECT removed FROM runs')
expect_err "its oldest $removed samples were removed"
expect_sound "$tmp/ring.db"
expect_equal "$((removed + $(ask "$tmp/ring.db" 'SELECT count(*) FROM samples')))" "$recorded" "samples removed and kept"
((removed > 0)) || fail "nothing was removed"

# Every sample is of another stack, so what names them has to go as well.
burn many_stacks 60
crowd=$started
sample -F 4999 --max-size 8M -p "$crowd" -o "$tmp/large.db" 4
expect_sound "$tmp/large.db"
expect_between "$(stat -c %s "$tmp/large.db")" 1 14000000 "bytes of a file with a limit of 8M"

# Somebody may look into the file when the recording begins.
sqlite3 "$tmp/locked.db" 'BEGIN EXCLUSIVE' ".shell touch $tmp/is_locked; sleep 0.5" 'COMMIT' &
background+=("$!")
wait_until test -e "$tmp/is_locked"
sample -F 499 -p "$busy" -o "$tmp/locked.db" 0.5
expect_sound "$tmp/locked.db"

# A kill leaves what was committed.
tied "$PROFILE" record -q -F 499 -p "$busy" -o "$tmp/killed.db" &
profiler=$!
background+=("$profiler")
committed() { (($(ask "$tmp/killed.db" 'SELECT count(*) FROM account' 2>"$tmp/null" || echo 0) > 1)); }
wait_until committed
# Until then another recorder keeps away, and a report shows what there is.
profile record -q -o "$tmp/killed.db" 1
expect_status 1
expect_err 'another recorder writes it'
profile report -q -f "$tmp/killed.db"
expect_present '^leaves;'
kill -KILL "$profiler"
wait "$profiler"
expect_sound "$tmp/killed.db"
expect_equal "$(ask "$tmp/killed.db" 'SELECT is_complete FROM runs')" 0 "whether it came to its end"
# The next recording takes its place, and not that of another file.
sample -p "$busy" -o "$tmp/killed.db" 0.2
expect_sound "$tmp/killed.db"
echo text >"$tmp/text.db"
profile record -q -o "$tmp/text.db" 1
expect_status 1
expect_err 'it is no recording'
expect_equal "$(<"$tmp/text.db")" text "the other file"

# What may stop to answer gets none, and the reason is told.
profile record -q -o /proc/run.db 1
expect_status 1
expect_err 'cannot write /proc/run\.db: a recording needs a disk of this machine'

# A full disk ends it.
mkdir "$tmp/disk"
mount -t tmpfs -o size=1M,mode=700 tmpfs "$tmp/disk" || skip "no tmpfs can be mounted here"
at_exit "umount '$tmp/disk' 2>/dev/null"
profile record -F 4999 -p "$crowd" -o "$tmp/disk/full.db" 60
expect_status 1
expect_err 'cannot write .*/full\.db: database or disk is full; what was recorded before is there'
expect_err ' not read in time'
expect_sound "$tmp/disk/full.db"
