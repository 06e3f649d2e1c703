#!/bin/bash
# Names come from the file that a process has mapped, whatever lies at its path: another file in its mount namespace, no
# file, or a newer one. When the mapped file itself was overwritten, there are no names.
source "$(dirname "$0")/compiling.bash"
source "$(dirname "$0")/children.bash"
need_command unshare
unshare --mount true 2>/dev/null || skip "no mount namespace can be made here"

expect_names() {
  expect_present ";main;outer;middle;$1heavy "
  expect_share ";main;outer;middle;$1(heavy|light) " 75 100
}

# One path is two different files, in two mount namespaces.
build_leaves "$tmp/app" ours_
build_leaves "$tmp/their_app" theirs_
start unshare --mount bash -c 'mount --bind "$0/their_app" "$0/app" && exec "$0/app" 600' "$tmp"
theirs=$started
# Before its exec it is another program, which also uses CPU time.
is_app() { grep -qx app "/proc/$1/comm"; }
wait_until is_app "$theirs"
let_work "$theirs" 3
sample_work "$theirs" 40 -F 999 -U
expect_names theirs_
expect_absent ours_
# Both at the same time.
start "$tmp/app" 600
ours=$started
wait_until is_app "$ours"
let_work "$ours" 3
# run_until COMMAND... : runs the profiler with the arguments in $what. It samples before, during and after COMMAND.
run_until() {
  begin -o - -o "$tmp/until.folded" -F 999 -U "${what[@]}"
  wait_until has_begun
  "$@"
  kill -INT "$profiler"
  finish
  mv "$tmp/until.folded" "$tmp/out"
  expect_status 0
  expect_balance
  expect_folded_total
}
both_work() {
  let_work "$ours" 30
  let_work "$theirs" 30
}
what=(-p "$ours,$theirs")
run_until both_work
# The scheduler decides how much CPU time each of them gets.
expect_present ';middle;theirs_(heavy|light) '
expect_present ';middle;ours_(heavy|light) '
expect_share ';middle;(ours|theirs)_(heavy|light) ' 90 100
sample_work "$ours" 40 -F 999 -U
expect_names ours_
expect_absent theirs_
kill "$theirs"
# A process that begins and ends during the run, together with its mounts.
sample_folded -F 999 -- unshare --mount bash -c 'mount --bind "$0/their_app" "$0/app" && exec "$0/app" 0.4cpu' "$tmp"
expect_present '^app;.*;middle;theirs_heavy '
expect_absent '^app;.*ours_'

# The file is deleted, and then replaced.
rm "$tmp/app"
sample_work "$ours" 40 -F 999 -U
expect_names ours_
cp "$tmp/their_app" "$tmp/app"
sample_work "$ours" 40 -F 999 -U
expect_names ours_
expect_absent theirs_
expect_no_err 'file (gone|changed)'
# The file is replaced during the run.
build_leaves "$tmp/new" new_
replace() {
  let_work "$ours" 30
  mv "$tmp/new" "$tmp/app"
  let_work "$ours" 30
}
what=(-p "$ours")
run_until replace
expect_names ours_
kill "$ours"

# The file is overwritten, so it no longer holds the running code. Linux lets a running library be written to, but not a
# running program.
build "$tmp/libleaves.so" "$SOURCE_DIR/tests/workloads/libleaves.c" -fPIC -shared
build "$tmp/bad.so" "$SOURCE_DIR/tests/workloads/libleaves.c" -fPIC -shared -Dlib_heavy=bad_heavy -Dlib_light=bad_light
build "$tmp/user" "$SOURCE_DIR/tests/workloads/shared_leaves.c" "$tmp/libleaves.so" "-Wl,-rpath,$tmp"
start "$tmp/user" 600
user=$started
wait_until is_at_work "$user"
begin -F 999 -U -p "$user" -o - -o "$tmp/user.folded"
wait_until has_begun
wait_until has_opened "$tmp/libleaves.so"
let_work "$user" 20
# Both files have the same layout and the file is never truncated, so the program continues.
cmp -s -n 64 "$tmp/bad.so" "$tmp/libleaves.so" || fail "the two libraries are laid out differently"
dd if="$tmp/bad.so" of="$tmp/libleaves.so" conv=notrunc status=none
let_work "$user" 20
kill -INT "$profiler"
finish
mv "$tmp/user.folded" "$tmp/out"
expect_status 0
expect_balance
expect_share 'main;call_library;.*' 80 100
expect_absent 'bad_'
if ! grep -q 'lib_heavy' "$tmp/out"; then expect_err '[0-9]+ file changed since it was mapped'; fi

# A program whose file was overwritten is another program, although the file has the same inode. Its frames have another
# size.
walks_by_tables || exit 0
cat >"$tmp/sized.c" <<'C'
__attribute__((noinline)) static void spin(void) {
  for (long turn = 0; turn < 100000; turn++) __asm__ volatile("" ::: "memory");
}
__attribute__((noinline)) void NAME(void) {
  volatile char place[SIZE];
  place[0] = 1;
  spin();
  place[SIZE - 1] = 1;
}
int main(void) {
  for (;;) NAME();
}
C
for size in 8 800; do
  cc -O2 -fomit-frame-pointer "-DSIZE=$size" "-DNAME=holds_$size" -o "$tmp/sized.$size" "$tmp/sized.c" || fail "cannot compile"
done
cp "$tmp/sized.8" "$tmp/sized"
sizes_work() {
  for size in 8 800; do
    cat "$tmp/sized.$size" >"$tmp/sized"
    start "$tmp/sized"
    wait_until is_at_work "$started"
    let_work "$started" 20
    { kill "$started" && wait "$started"; } 2>/dev/null
  done
}
what=(-a --comm sized)
run_until sizes_work
# Samples of the first program have its names if the lookup came in time.
expect_present '^sized;(.*;)?main;holds_800;spin '
grep -v '^sized;\[incomplete' "$tmp/out" | grep ';spin ' | grep -vE '^sized;(.*;)?main;holds_(8|800);spin ' >"$tmp/wrong"
expect_silence wrong
