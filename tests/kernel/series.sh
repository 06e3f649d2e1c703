#!/bin/bash
# -o with a time or a number in its name writes one file per interval. Each is complete when it becomes visible and has
# the samples of its interval only; --keep limits how many files there are.
source "$(dirname "$0")/sampling.bash"
mkdir "$tmp/d"

burn leaves 600/3
leaves=$started

# A reader takes every file as soon as it appears, and must never find an incomplete one.
: >"$tmp/go_on"
(
  while [[ -e $tmp/go_on ]]; do
    for file in "$tmp"/d/*.pb.gz; do
      if [[ -e $file ]] && ! gzip -t "$file"; then echo "$file"; fi
    done
  done >"$tmp/halves" 2>&1
) &
reader=$!
begin -F 997 -i 0.2 -p "$leaves" -o "$tmp/d/cpu-%Y%m%d-%H%M%S.pb.gz" -o "$tmp/d/n-%04d.folded" -o "$tmp/all.folded"
are_enough() { [[ -e $tmp/d/n-0006.folded ]] && compgen -G "$tmp/d/cpu-*~2.pb.gz" >/dev/null; }
# On a busy machine intervals are longer than requested.
wait_until are_enough
kill -INT "$profiler"
finish
expect_status 0
expect_balance
rm "$tmp/go_on"
wait "$reader"
[[ ! -s $tmp/halves ]] || fail "files were seen before they were whole: $(cat "$tmp/halves")"

# One file per interval, none overwrites another, and together they have all recorded samples.
expect_folded_total "$tmp/all.folded"
cat "$tmp"/d/n-*.folded >"$tmp/joined"
expect_folded_total "$tmp/joined"
files=("$tmp"/d/n-*.folded)
((${#files[@]} >= 6)) || fail "only ${#files[@]} files by number"
for ((i = 1; i <= ${#files[@]}; i++)); do
  [[ -e $tmp/d/n-$(printf %04d "$i").folded ]] || fail "number $i is missing: ${files[*]##*/}"
done
timed=("$tmp"/d/cpu-*.pb.gz)
expect_equal "${#timed[@]}" "${#files[@]}" "files by time"
for file in "${timed[@]}"; do
  [[ ${file##*/} =~ ^cpu-20[0-9]{6}-[0-9]{6}(~[2-9])?\.pb\.gz$ ]] || fail "an odd name: $file"
done
ls "$tmp"/d/cpu-*~2.pb.gz >/dev/null 2>&1 || fail "no second file in any second: ${timed[*]##*/}"
expect_equal "$(find "$tmp/d" -name '.*' -type f | wc -l)" 0 "hidden files left behind"

# Each counted file has its header. Numbers start again in the next run and overwrite its files.
sample -F 499 -i 0.3 -p "$leaves" -o "$tmp/d/%02d.txt" 1
sample -F 499 -i 0.3 -p "$leaves" -o "$tmp/d/%02d.txt" 1
for file in "$tmp"/d/0?.txt; do
  expect_equal "$(grep -c '^Sampling at 499 Hertz' "$file")" 1 "headers in $file"
done
[[ ! -e $tmp/d/01~2.txt ]] || fail "a frame was not written over"

# --keep keeps the newest files, also over an earlier run, and removes no other files.
mkdir "$tmp/k"
touch -d '1 hour ago' "$tmp/k/cpu-19990101-000000.folded"
touch -d '2 hours ago' "$tmp/k/cpu-precious.folded" "$tmp/k/cpu-19990101-000000.folded.old"
kept() { find "$tmp/k" -name 'cpu-20*' | sort; }
are_others_kept() { [[ $(kept) != "$1" ]]; }
begin -F 499 -i 0.2 --keep 3 -p "$leaves" -o "$tmp/k/cpu-%Y%m%d-%H%M%S.folded"
for _ in {1..10}; do wait_until are_others_kept "$(kept)"; done
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_equal "$(find "$tmp/k" -name 'cpu-20*' | wc -l)" 3 "files kept"
expect_equal "$(find "$tmp/k" -name 'cpu-[1p]*' -printf '%f\n' | sort | tr '\n' ' ')" \
  "cpu-19990101-000000.folded.old cpu-precious.folded " "files of others"
sample -F 499 --keep 2 -p "$leaves" -o "$tmp/k/cpu-%Y%m%d-%H%M%S.folded" 0.2
expect_equal "$(find "$tmp/k" -name 'cpu-20*' | wc -l)" 2 "files kept by the next run"

# Without -i the name is that of the run's single file, with the time at which the run began.
before=$(date +%s)
sample -f -F 499 -p "$leaves" -o - -o "$tmp/d/once-%s.folded" 1.2
after=$(date +%s)
once=("$tmp"/d/once-*.folded)
expect_equal "${#once[@]}" 1 "files of a run without intervals"
at=${once[0]##*-}
expect_between "${at%.folded}" "$before" $((after - 1)) "the time in its name"
cmp "${once[0]}" "$tmp/out" || fail "the file is not what stdout got"

# An interval without samples also has its file.
start sleep 600
wait_until is_asleep "$started"
begin -F 499 -i 0.3 -p "$started" -o "$tmp/d/e-%03d.folded"
wait_until test -e "$tmp/d/e-003.folded"
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_equal "$recorded" 0 "samples of a process that sleeps"

# The reader of stdout has left, and the series continues.
mkfifo "$tmp/pipe"
head -n 1 <"$tmp/pipe" >/dev/null &
reader=$!
tied "$PROFILE" -q -f -F 499 -i 0.2 -p "$leaves" -o - -o "$tmp/d/p-%03d.folded" >"$tmp/pipe" 2>"$tmp/err" </dev/null &
profiler=$!
background+=("$profiler")
wait "$reader"
files=("$tmp"/d/p-*.folded)
wait_until test -e "$tmp/d/p-$(printf %03d $((${#files[@]} + 4))).folded"
kill -INT "$profiler"
finish
expect_status 0

# A run that gets a signal writes its last interval.
begin_counted -F 499 -i 600 -p "$leaves" -o - -o "$tmp/d/last-%1d.folded"
let_work "$leaves" 5
kill -TERM "$profiler"
finish
expect_status 0
expect_balance
expect_folded_total "$tmp/d/last-1.folded"

# Errors are reported before anything is sampled.
refused() {
  profile "${@:3}" 1
  expect_status "$1"
  expect_err "$2"
  expect_silence out
}
refused 2 '^profile: -o .*/cpu-%Q\.pb\.gz: %Q ' -o "$tmp/d/cpu-%Q.pb.gz"
# Only the last directory of a pattern is made.
refused 1 "^profile: cannot write .*/none/deep/cpu-[0-9]{6}\.pb\.gz: No such file" -i 1 -o "$tmp/none/deep/cpu-%H%M%S.pb.gz"
refused 1 "^profile: cannot write .*: File name too long" -o "$tmp/d/$(printf 'x%.0s' {1..300})%H.folded"
refused 2 '^profile: --keep ' -i 1 --keep 3 -o "$tmp/%Y/%m.folded"
[[ ! -e $tmp/none ]] || fail "a directory was made"
