# shellcheck shell=bash
# Starts a receiver of --push, and compares what it has taken with what a run has recorded.
source "$(dirname "${BASH_SOURCE[0]}")/sampling.bash"
need_command python3
unset http_proxy https_proxy all_proxy HTTPS_PROXY ALL_PROXY no_proxy NO_PROXY CURL_CA_BUNDLE SSL_CERT_FILE PROFILE_PUSH_AUTH

# receive NAME [CERTIFICATE KEY] : starts a receiver with the directory $tmp/NAME and sets $address to HOST:PORT. With the
# same name again, it listens at the same address.
# shellcheck disable=SC2034
receive() {
  mkdir -p "$tmp/$1"
  rm -f "$tmp/$1/started"
  start python3 "$SOURCE_DIR/tests/tools/push_receiver.py" "$tmp/$1" "${@:2}"
  receiver=$started
  wait_until is_listening "$1"
  address=127.0.0.1:$(<"$tmp/$1/port")
}
is_listening() { [[ -s $tmp/$1/port ]] && (: <>"/dev/tcp/127.0.0.1/$(<"$tmp/$1/port")") 2>/dev/null; }
stop_receiver() {
  kill "$receiver"
  wait "$receiver" 2>/dev/null
}
# behave NAME [WORD...] : how the receiver answers from now on; without a word: well.
behave() {
  printf '%s\n' "${*:2}" >"$tmp/$1/behave.new"
  mv "$tmp/$1/behave.new" "$tmp/$1/behave"
}

# accepted NAME : prints a line for each profile that was taken: its number, path, id and labels.
accepted() { cat "$tmp/$1/accepted" 2>/dev/null; }
are_accepted() { (($(accepted "$1" | wc -l) >= $2)); }
# is_refused NAME PATTERN TIMES
is_refused() { [[ -e $tmp/$1/refused ]] && (($(grep -c "$2" "$tmp/$1/refused") >= $3)); }
# folded_of NAME [PATTERN] : prints the stacks of the profiles whose line matches.
folded_of() {
  local files=()
  mapfile -t files < <(accepted "$1" | grep -E -- "${2:-.}" | sed "s|^\([^ ]*\).*|$tmp/$1/\1.pb.gz|")
  if ((${#files[@]} == 0)); then return; fi
  "$PROFILE" report -q -f "${files[@]}" || fail "a report of what $1 has taken"
}
# samples_of NAME [PATTERN] : the number of their samples.
samples_of() { folded_of "$@" | awk '{ sum += $NF } END { print sum + 0 }'; }
# expect_taken NAME SAMPLES : the receiver has each sample once, and every request was as its server wants it.
expect_taken() {
  [[ ! -s $tmp/$1/wrong ]] || fail "$(head -n 3 "$tmp/$1/wrong")"
  expect_equal "$(samples_of "$1")" "$2" "samples that $1 has taken"
}
