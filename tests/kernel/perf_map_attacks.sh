#!/bin/bash
# Any user who may write to /tmp can write a perf map. The profiler reads only a plain file of the process's own user or
# root; other files do not delay it, and their frames say that there is no map.
source "$(dirname "$0")/sampling.bash"
need_command mkfifo timeout
# A profiler that hangs is killed, and the test fails.
profile() { run timeout 120 "$PROFILE" "$@"; }

# $tmp/line has the correct line for the code of `silent`. Only the place of the file is wrong in each case.
burn jit silent "$tmp/line" 600
wait_until test -s "$tmp/line"
wait_until is_at_work "$started"
map=/tmp/perf-$started.map
at_exit "rm -f '$map'"

sample_made() { sample_enough 60 -F 499 -U -p "$started" 0.3; }
# expect_refused WHAT : no name from the map at $map is used.
expect_refused() {
  echo "$1"
  sample_made
  if grep -q made_loop "$tmp/out"; then fail "$1 was read; $(outcome)"; fi
  expect_share ';main;run_made;\[unknown\] ' 90 100
  expect_err '[0-9]+ JIT code without a perf map'
  rm "$map"
}

# Checks the test itself: a plain file is read.
cp "$tmp/line" "$map"
sample_made
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
sample_made
rmdir "$map"
expect_share ';main;run_made;\[unknown\] ' 90 100
# For a process of root, another user's file is refused.
cp "$tmp/line" "$map"
chown 65534 "$map"
expect_refused "another user's file"

# For a user's process, that user's file and root's are accepted, and no other.
kill "$started"
chmod 755 "$tmp"
: >"$tmp/theirs"
chown 65534 "$tmp/theirs"
start setpriv --reuid=65534 --regid=65534 --clear-groups "$WORKLOADS/jit" silent "$tmp/theirs" 600
wait_until test -s "$tmp/theirs"
wait_until is_at_work "$started"
map=/tmp/perf-$started.map
at_exit "rm -f '$map'"
for owner in 0 65534; do
  cp "$tmp/theirs" "$map"
  chown "$owner" "$map"
  sample_made
  expect_share ';main;run_made;made_loop ' 90 100
  rm "$map"
done
cp "$tmp/theirs" "$map"
chown 65533 "$map"
expect_refused "a third user's file"
cp "$tmp/theirs" "$map"
chmod 600 "$map"
expect_refused "a file of root that the user may not read"

# Once the process has ended, everybody may write a map with its number: its own user's is read, and no other.
kill "$started"
# sample_ended OWNER : samples a process of user 65534, which ends before the report is made and leaves a map of OWNER.
sample_ended() {
  : >"$tmp/theirs"
  start setpriv --reuid=65534 --regid=65534 --clear-groups "$WORKLOADS/jit" silent "$tmp/theirs" 600
  wait_until test -s "$tmp/theirs"
  wait_until is_at_work "$started"
  map=/tmp/perf-$started.map
  at_exit "rm -f '$map'"
  begin_counted -F 499 -U -p "$started,$$" -i 600 -o - -o "$tmp/all.folded"
  let_work "$started" 30
  cp "$tmp/theirs" "$tmp/left"
  kill "$started"
  wait "$started" 2>/dev/null
  cp "$tmp/left" "$map"
  chown "$1" "$map"
  kill -INT "$profiler"
  finish
  mv "$tmp/all.folded" "$tmp/out"
  rm "$map"
}
sample_ended 65533
if grep -q made_loop "$tmp/out"; then fail "the map of another user was read; $(outcome)"; fi
expect_present ';main;run_made;\[unknown\] '
sample_ended 65534
expect_present ';main;run_made;made_loop '

# A user with mounts of their own can put any file in this place.
if command -v unshare nsenter >/dev/null; then
  : >"$tmp/theirs"
  chown 65534 "$tmp/theirs"
  start unshare -m --propagation private setpriv --reuid=65534 --regid=65534 --clear-groups "$WORKLOADS/jit" silent "$tmp/theirs" 600
  wait_until test -s "$tmp/theirs"
  wait_until is_at_work "$started"
  map=/tmp/perf-$started.map
  at_exit "rm -f '$map'"
  cp "$tmp/theirs" "$tmp/mounted"
  : >"$map"
  chown 65534 "$map"
  if nsenter -t "$started" -m mount --bind "$tmp/mounted" "$map"; then
    expect_refused "a file that is mounted there"
  else
    without "a file that is mounted there" "it cannot be mounted"
  fi
fi
