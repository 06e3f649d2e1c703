#!/bin/bash
# A recording may be hostile, and root may read it. Whatever the file says, there is one clear line and the
# exit status 1; nothing of the file is run, and it takes neither all memory nor much time.
source "$(dirname "$0")/sampling.bash"
need_command sqlite3
cd "$tmp" || exit 1

"$PROFILE" record -q -F 499 -o good.db -- "$WORKLOADS/leaves" 0.3cpu || fail "record"
profile report -q -f good.db
expect_status 0
cp out good.folded

# refused SQL REASON : a report of the recording that SQL has changed ends with that line.
refused() {
  cp good.db bad.db
  sqlite3 bad.db "$1" >sqlite.out 2>&1 || fail "sqlite3: $(cat sqlite.out)"
  report_is_refused "$2"
}
expect_refusal() {
  expect_status 1
  expect_silence out
  expect_equal "$(wc -l <err)" 1 "lines about: $1"
  expect_err "$1"
}
report_is_refused() {
  profile report -q -f bad.db
  expect_refusal "$1"
  profile report -q -o bad.html bad.db
  expect_refusal "$1"
  profile diff -q good.db bad.db
  expect_refusal "$1"
}

# Files that are no recordings, or not whole.
refused 'PRAGMA application_id = 7' 'bad\.db: .*(no recording|not a format)'
refused 'PRAGMA user_version = 2' 'bad\.db: a recording of version 2; this program reads version 1'
refused 'DROP TABLE frames' 'table frames is not as this program makes it'
for bytes in 100 4096 20000; do
  head -c "$bytes" good.db >bad.db
  report_is_refused '^profile: .*bad\.db'
done
# Every page is overwritten in turn, so that each table is once of nonsense. What is still reported is right or nothing.
pages=$(($(stat -c %s good.db) / 4096))
for ((page = 0; page < pages; page++)); do
  cp good.db bad.db
  head -c 4096 /dev/urandom | dd of=bad.db bs=4096 seek="$page" conv=notrunc status=none
  profile report -q -f bad.db
  [[ $status == 1 || $status == 0 ]] || fail "page $page: status $status"
  ((status == 1)) || cmp -s out good.folded || fail "page $page: a report of nonsense"
done

# Code of the file: triggers, indices, views in the place of tables, columns that compute.
refused 'CREATE TRIGGER evil AFTER INSERT ON runs BEGIN SELECT 1; END' 'indices or triggers'
refused 'CREATE INDEX evil ON frames(name)' 'indices or triggers'
refused 'ALTER TABLE frames RENAME TO old; CREATE VIEW frames AS SELECT * FROM old' 'table frames is not as this program makes it'
refused "ALTER TABLE frames ADD COLUMN evil TEXT AS (upper(name))" 'table frames is not as this program makes it'

# Numbers and texts that lie.
refused 'DELETE FROM runs' 'has no run'
refused 'DELETE FROM events' 'has no events'
refused 'DELETE FROM threads' 'has no thread [0-9]+'
refused 'DELETE FROM processes' 'has no process [0-9]+'
refused 'DELETE FROM stacks' 'has no stack [0-9]+'
refused 'DELETE FROM frames' 'has no frame [0-9]+'
refused 'DELETE FROM binaries' 'has no binary [0-9]+'
refused 'UPDATE stacks SET callers = id' 'the callers of stack'
refused 'UPDATE stacks SET callers = (SELECT max(id) FROM stacks)' 'the callers of stack'
refused 'UPDATE samples SET value = 1 << 62' 'add up to more than'
refused 'UPDATE samples SET cpu = -1' 'the CPU of a sample'
refused 'UPDATE threads SET tid = 1 << 40' 'thread id'
refused 'UPDATE runs SET duration_us = -5' 'its duration'
refused 'UPDATE account SET taken = 9223372036854775807; INSERT INTO account SELECT * FROM account' 'overflow'
refused 'WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 100000) INSERT INTO events SELECT i + 1000, 1, i, 0, 0, 0, 0, 0, 0, 0, 0 FROM n' 'too many events'
deep="WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < LENGTH)
  INSERT INTO stacks SELECT 1000000 + i, CASE WHEN i > 1 THEN 999999 + i END, (SELECT min(id) FROM frames WHERE kind = 'user') FROM n;"
refused "${deep/LENGTH/20000} UPDATE samples SET stack = 1020000" 'has too many frames'
# A file of some megabytes whose stacks would take 3 GB, and one whose names would.
crowd="WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
  INSERT INTO stacks SELECT 2000000 + i, 1015000, (SELECT min(id) FROM frames WHERE kind = 'user') FROM n;
  WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
  INSERT INTO samples SELECT (SELECT max(id) FROM samples) + i, thread, cpu, 2000000 + i, 1, event FROM n JOIN (SELECT * FROM samples LIMIT 1);"
refused "${deep/LENGTH/15000} $crowd" 'more frames than fit into memory'
refused "UPDATE processes SET name = printf('%.*c', 900000, 'x'), command_line = NULL;
  WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
  INSERT INTO threads SELECT 1000000 + i, process, i, name FROM n JOIN (SELECT * FROM threads LIMIT 1);
  WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
  INSERT INTO samples SELECT (SELECT max(id) FROM samples) + i, 1000000 + i, cpu, stack, 1, event FROM n JOIN (SELECT * FROM samples LIMIT 1)" 'names are too long'
refused "UPDATE frames SET name = printf('%.*c', 2000000, 'x')" 'too big'

# Hostile names are text in every form.
cp good.db bad.db
sqlite3 bad.db "UPDATE frames SET name = '<script>alert(1)</script>' WHERE kind = 'user'; UPDATE processes SET name = char(27) || '[2J'"
profile report -q -f -o bad.html -o bad.svg -o bad.folded bad.db
expect_status 0
if grep -q '<script>alert' bad.html bad.svg; then fail "a name became markup"; fi
if grep -q $'\033' bad.folded; then fail "a name controls the terminal"; fi

# A directory in its place.
rm bad.db
mkdir bad.db
report_is_refused 'bad\.db'
