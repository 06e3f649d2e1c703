# shellcheck shell=bash
# Runs the live page for tests, and asks its server.
source "$(dirname "${BASH_SOURCE[0]}")/sampling.bash"
need_command curl python3

# begin_live [ARGUMENTS...] : starts the profiler with its page on a free port; sets $url to its address.
begin_live() {
  begin -T -R 0 "$@"
  wait_until has_url
  url=$(grep -aoEm 1 'http://[^ ]+/' "$tmp/err")
}
has_url() { grep -aqE 'http://[^ ]+:[0-9]+/' "$tmp/err" || ! kill -0 "$profiler" 2>/dev/null; }
# ask PATH [CURL OPTION...] : writes the body to $tmp/answer and sets $code to the status.
ask() { code=$(curl -sS -m 60 -o "$tmp/answer" -w '%{http_code}' "${@:2}" "${url%/}$1") || fail "curl $1: $(outcome)"; }
expect_code() { [[ $code == "$1" ]] || fail "$1 expected, $code came: $(head -c 300 "$tmp/answer")"; }
is_healthy() { curl -sf -m 5 -o "$tmp/answer" "${url}healthz"; }
# metric NAME[{LABELS}] : prints its value in the last answer.
metric() { awk -v name="$1" '$1 == name { printf "%.0f\n", $2 }' "$tmp/answer"; }
# follow TICKS : writes what a client of the events saw to $tmp/seen (see tests/tools/live_client.py).
follow() { python3 "$SOURCE_DIR/tests/tools/live_client.py" "$url" "$1" >"$tmp/seen" || fail "the events: $(cat "$tmp/seen")"; }
# seen first|last PROCESS PID : prints its value.
seen() { sed -nE "s/^$1 $2 \\($3\\) ([0-9]+)\$/\\1/p" "$tmp/seen"; }
# interrupt : sends Ctrl-C; sets $took to the microseconds until the profiler ended.
interrupt() {
  local before=${EPOCHREALTIME/./}
  kill -INT "$profiler"
  finish
  took=$((${EPOCHREALTIME/./} - before))
}
