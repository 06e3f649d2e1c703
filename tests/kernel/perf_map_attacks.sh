#!/bin/bash
# A perf map is written by whoever may write to /tmp: one that is no plain file of the process's own is not read, does not hold
# the profiler up, and its frames say that there is no map.
source "$(dirname "$0")/sampling.bash"
need_command mkfifo timeout

# The right line for what `silent` runs is in $tmp/line: only where it stands is wrong.
burn jit silent "$tmp/line" 600
wait_until test -s "$tmp/line"
map=/tmp/perf-$started.map
at_exit "rm -f '$map'"

# expect_refused WHAT : none of the names in the map at $map are used.
expect_refused() {
  run timeout 20 "$PROFILE" -f -F 499 -U -p "$started" 0.3
  [[ $status == 0 ]] || fail "$1: $(outcome)"
  expect_balance
  if grep -q made_loop "$tmp/out"; then fail "$1 was read; $(outcome)"; fi
  expect_share ';main;run_made;\[unknown\] ' 90 100
  expect_err '[0-9]+ JIT code without a perf map'
  rm "$map"
}

# The test of the test: as a plain file it is read.
cp "$tmp/line" "$map"
sample_folded -F 499 -U -p "$started" 0.3
expect_share ';main;run_made;made_loop ' 90 100
rm "$map"

mkfifo "$map"
expect_refused "a FIFO"
ln -s "$tmp/line" "$map"
expect_refused "a symbolic link to a map"
ln -s /etc/passwd "$map"
expect_refused "a symbolic link to /etc/passwd"
ln -s /dev/zero "$map"
expect_refused "a symbolic link to a device"
mkdir "$map.directory"
cp "$tmp/line" "$map"
ln "$map" "$map.directory/second"
expect_refused "a file with two links"
rm -r "$map.directory"
mkdir "$map.directory"
mv "$map.directory" "$map"
run timeout 20 "$PROFILE" -f -F 499 -U -p "$started" 0.3
rmdir "$map"
expect_status 0
expect_share ';main;run_made;\[unknown\] ' 90 100
# Root's own process does not believe another user's file.
cp "$tmp/line" "$map"
chown 65534 "$map"
expect_refused "another user's file"

# A user's process believes its own and root's, and no other user's.
kill "$started"
chmod 755 "$tmp"
: >"$tmp/theirs"
chown 65534 "$tmp/theirs"
start setpriv --reuid=65534 --regid=65534 --clear-groups "$WORKLOADS/jit" silent "$tmp/theirs" 600
wait_until test -s "$tmp/theirs"
map=/tmp/perf-$started.map
at_exit "rm -f '$map'"
for owner in 0 65534; do
  cp "$tmp/theirs" "$map"
  chown "$owner" "$map"
  sample_folded -F 499 -U -p "$started" 0.3
  expect_share ';main;run_made;made_loop ' 90 100
  rm "$map"
done
cp "$tmp/theirs" "$map"
chown 65533 "$map"
expect_refused "a third user's file"
