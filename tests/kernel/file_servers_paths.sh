#!/bin/bash
# A path of the command line on a file system that does not answer, as with a network server: the run ends in time or
# reports the error. Ctrl-C always ends it.
source "$(dirname "$0")/served.bash"

burn leaves 600/3
leaves=$started
mkdir -p "$tmp/files/.build-id" "$tmp/files/here"
# new_place : makes the test's own directory to serve, for a function that runs aside.
new_place() { mkdir -p "$tmp/files/here" "$tmp/place"; }

# ends WHAT [ARGUMENT...] : the run ends by itself within three seconds, or soon after Ctrl-C.
ends() {
  local began_us=${EPOCHREALTIME/./}
  inside=(nsenter -t "$server" -m)
  "${inside[@]}" "$PROFILE" "${@:2}" >"$tmp/out" 2>"$tmp/err" </dev/null &
  profiler=$!
  background+=("$profiler")
  while is_running && ((${EPOCHREALTIME/./} - began_us < 3000000 * slowness)); do sleep 0.05; done
  if is_running; then
    kill -INT "$profiler"
    ends_soon "$1: Ctrl-C does not end it"
  fi
  finish
  stop_serving
  ((status != 0 || $(wc -l <"$tmp/err") > 0)) || fail "$1: nothing is said"
}
is_running() { grep -q '^State:[^ZX]*$' "/proc/$profiler/status" 2>/dev/null; }
# ends_soon WHAT : the profiler ends soon, or the test fails. In file_servers_paths_measured.sh the limit is shorter
# than any wait for an answer.
soon_us=${soon_us:-60000000}
ends_soon() {
  local began_us=${EPOCHREALTIME/./}
  while is_running && ((${EPOCHREALTIME/./} - began_us < soon_us * slowness)); do sleep 0.05; done
  if is_running; then stop_serving && fail "$1"; fi
}

# Only WRITE hangs: the profiler gives up the report after a while and says so. Another report is complete.
given_up() {
  local form=(-f -o "$tmp/whole.folded" -o "$tmp/place/here/a.folded") began_us=${EPOCHREALTIME/./}
  new_place
  if [[ $1 == "a stream" ]]; then form=(--stream=folded -o "$tmp/place/here/a.folded"); fi
  : >"$tmp/files/here/a.folded"
  serve -h WRITE -- "$tmp/place"
  hang
  run nsenter -t "$server" -m timeout -s KILL $((240 * slowness)) "$PROFILE" -F 499 "${form[@]}" 0.5
  took=$((${EPOCHREALTIME/./} - began_us))
  stop_serving
  expect_status 1
  expect_err "^profile: cannot write $tmp/place/here/a.folded: its file system does not answer$"
  expect_between "$took" 0 $((120000000 * slowness)) "microseconds of a report that is not taken"
  if [[ $1 != "a stream" ]]; then expect_present '^leaves;(.*;)?main;outer;middle;heavy ' "$tmp/whole.folded"; fi
}

# begin_series OPERATION [ARGUMENT...] : a run that writes one file per report. After the first files, that operation
# gets no answer.
begin_series() {
  new_place
  serve -h "$1" -- "$tmp/place"
  : >"$tmp/err"
  nsenter -t "$server" -m "$PROFILE" -f -F 199 -i 0.2 -o "$tmp/whole.folded" -o "$tmp/place/here/x-%s.folded" "${@:2}" \
    >"$tmp/out" 2>"$tmp/err" </dev/null &
  profiler=$!
  background+=("$profiler")
  wait_until any_file
  hang
  wait_until has_asked "$1"
}
any_file() { cat "$tmp"/files/here/x-*.folded 2>/dev/null | grep -q '^leaves;.*;heavy '; }
has_asked() { (($(unanswered "$1") > 0)); }
end_series() {
  kill -INT "$profiler"
  ends_soon "$1: Ctrl-C does not end it"
  finish
  stop_serving
  expect_status 1
  expect_err "^profile: cannot write $tmp/place/here/x-[0-9]+(~[0-9]+)?.folded: its file system does not answer"
  expect_present '^leaves;(.*;)?main;outer;middle;heavy ' "$tmp/whole.folded"
}
# Reports after the one that was given up do not wait as long. When the server answers again, reports are written again.
series_goes_on() {
  local before
  begin_series WRITE
  wait_until grep -q 'does not answer; the run goes on' "$tmp/err"
  before=$(wc -l <"$tmp/whole.folded")
  has_more() { (($(wc -l <"$tmp/whole.folded") > before)); }
  wait_until has_more
  expect_equal "$(unanswered WRITE)" 1 "writes that were begun"
  kill -USR2 "$server"
  wait_until grep -qE 'is written; [0-9]+ reports? before it could not be' "$tmp/err"
  end_series WRITE
}
series_ends() {
  begin_series "$@"
  end_series "$1"
}
# A written file stays when an old one cannot be removed. The next report is given up.
series_keeps_old() {
  begin_series UNLINK --keep 1
  wait_until grep -q 'does not answer; the run goes on' "$tmp/err"
  end_series UNLINK
}
series_cannot_begin() {
  new_place
  serve -h "$1" -- "$tmp/place"
  hang
  ends "-o of many, $1" -F 99 -o "$tmp/place/here/x-%s.folded" 0.5
  expect_status 1
  expect_err "^profile: cannot write $tmp/place/here/x-[0-9]+.folded: its file system does not answer$"
}
for how in "a while" "a stream"; do aside given_up "$how"; done
aside series_goes_on
aside series_keeps_old

for operation in LOOKUP OPEN GETATTR READ FLUSH; do
  echo "--debug-dir, $operation"
  serve -h "$operation" -- "$tmp/place"
  inside=(nsenter -t "$server" -m)
  hang
  if [[ $operation == GETATTR ]]; then
    # It is not even known whether this is a directory.
    run "${inside[@]}" timeout -s KILL $((240 * slowness)) "$PROFILE" --debug-dir "$tmp/place" -f 0.4
    expect_status 1
    expect_err "^profile: --debug-dir $tmp/place: its file system does not answer$"
  else
    beside "$leaves" -- --debug-dir "$tmp/place" -F 499
    expect_others_named
  fi
  stop_serving
done

for operation in LOOKUP OPEN GETATTR CREATE FLUSH; do
  echo "-o, $operation"
  # The file does not exist yet, or exists.
  if [[ $operation == @(CREATE|FLUSH) ]]; then rm -f "$tmp/files/here/a.folded"; else : >"$tmp/files/here/a.folded"; fi
  serve -h "$operation" -- "$tmp/place"
  hang
  ends "-o, $operation" -F 99 -o "$tmp/place/here/a.folded" 0.5
done

echo "-o, WRITE: Ctrl-C"
: >"$tmp/files/here/a.folded"
serve -h WRITE -- "$tmp/place"
hang
ends "-o, WRITE" -F 99 -o "$tmp/place/here/a.folded" 0.5

for operation in CREATE RENAME; do
  echo "-o of many, $operation"
  aside series_ends "$operation"
done
aside series_cannot_begin CREATE
# A served file is written when the server answers, and the shell that waits for the profiler's stdout gets its end.
serve -- "$tmp/place" served
# On a busy machine leaves may not run for a while.
for seconds in 0.5 2 8 32; do
  out=$(nsenter -t "$server" -m "$PROFILE" -f -F 499 -o "$tmp/place/here/a.folded" -o - "$seconds" 2>"$tmp/err") || fail "status $? where files are served"
  if [[ $out == *';heavy '* ]]; then break; fi
done
[[ $out == *';heavy '* ]] || fail "no names on stdout"
grep -qE '^leaves;(.*;)?heavy ' "$tmp/files/here/a.folded" || fail "no names in what is served"
seq 100000 >"$tmp/files/here/b.folded"
is_named() { grep -qE '(^| )leaves[ ;](.*;)?heavy( |$)' "$1"; }
for form in '--stream=folded -o' '-f -o'; do
  for name in b new; do
    # In a short run a stack may be its leaf alone.
    for seconds in 0.3 2 8 32; do
      # shellcheck disable=SC2086
      run nsenter -t "$server" -m "$PROFILE" -F 499 $form "$tmp/place/here/$name.folded" "$seconds"
      expect_status 0
      if is_named "$tmp/files/here/$name.folded"; then break; fi
    done
    is_named "$tmp/files/here/$name.folded" || fail "$form $name: no names in what is served"
    if grep -q '^99999$' "$tmp/files/here/$name.folded"; then fail "$form: what was there before is left"; fi
  done
done
# A start that fails removes the files that it has made, and leaves existing files unchanged.
ln -s nowhere.folded "$tmp/files/here/link.folded"
cp "$tmp/files/here/b.folded" "$tmp/b.folded"
run nsenter -t "$server" -m "$PROFILE" -f -o "$tmp/place/here/vain.folded" -o "$tmp/place/here/b.folded" \
  -o "$tmp/place/here/link.folded" -o "$tmp/not/there.folded" 0.3
expect_status 1
for name in vain nowhere; do [[ ! -e $tmp/files/here/$name.folded ]] || fail "$name.folded is left by a start that failed"; done
cmp "$tmp/b.folded" "$tmp/files/here/b.folded" || fail "a start that failed changed a file"
stop_serving

serve -h LOOKUP -- "$tmp/place"
hang
ends "--cgroup" -F 99 --cgroup "$tmp/place/here" 0.5

# A uprobe's file is looked up, opened and read.
for operation in LOOKUP OPEN READ; do
  echo "uprobe, $operation"
  serve -h "$operation" -- "$tmp/place"
  hang
  ends "uprobe, $operation" -e "uprobe:$tmp/place/served:heavy" 0.5
done
join_asides

# The writer there is one of the profiler's own processes and is not counted. Other profilers of the machine are.
need_group
profile_in_group() { (in_group nsenter -t "$server" -m "$PROFILE" --cgroup "$group" "$@"); }
serve -- "$tmp/place" served
for event in syscalls malloc uprobe:libc.so.6:write; do
  echo "-e $event"
  run profile_in_group -e "$event" -f -i 0.1 -o "$tmp/place/here/a.folded" -o "$tmp/place/here/s-%s.folded" -o - 0.7
  expect_status 0
  expect_absent '^profile'
  compgen -G "$tmp/files/here/s-*.folded" >/dev/null || fail "no report is where it should be"
  rm "$tmp"/files/here/s-*
done
