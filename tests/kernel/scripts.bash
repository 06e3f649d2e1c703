# shellcheck shell=bash
# Runs the truth programs of tests/workloads/scripts for the tests of the frames of scripts.
source "$(dirname "${BASH_SOURCE[0]}")/sampling.bash"
need_command python3 # for the programs that check
walks_by_tables || skip "stacks cannot be walked by tables here"
scripts=$SOURCE_DIR/tests/workloads/scripts
# Not a script that chooses one of several.
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')

# Elsewhere only some versions of Python are known.
are_all_languages_known() { [[ $(uname -m) == x86_64 ]]; }
need_all_languages() { are_all_languages_known || skip "the frames of this language are known on x86-64 alone"; }

# has_layout LANGUAGE COMMAND... : whether the interpreter that runs the command is known. Starts it for a moment.
has_layout() {
  start "${@:2}"
  wait_until has_worked "$started" 1
  "$PROFILE" --list-languages >"$tmp/languages" || fail "--list-languages"
  kill "$started"
  grep -q "^$1 .* functions of scripts are shown" "$tmp/languages"
}

# begin_script INTERPRETER NAME [ARGUMENT...] : starts a program of scripts/ there, and waits until it is at work.
begin_script() {
  start env -C "$scripts" "$@"
  wait_until has_worked_or_ended "$started" 20
  if has_ended "$started"; then fail "$* has ended"; fi
}

has_ended() { [[ $(cat "/proc/$1/stat" 2>/dev/null) != *') '[^ZX]' '* ]]; }
has_worked_or_ended() { has_ended "$1" || has_worked "$@"; }

# expect_churn FOLDED LEAST : of at least so many samples of a churn program, none mixes two functions.
expect_churn() {
  local said
  said=$(python3 "$scripts/check_churn.py" "$1") || fail "check_churn.py"
  [[ $said =~ ^wrong\ 0\ of\ ([0-9]+)$ ]] || fail "$said"
  ((BASH_REMATCH[1] >= $2)) || fail "$said; $(outcome)"
}

# check_mix FOLDED DEPTH [LANGUAGE [SCRIPT]] : sets $right, $wrong, $missing, $other and $of to what check_mix.py says,
# and with a script $lined and $unlined.
check_mix() {
  local said
  said=$(python3 "$scripts/check_mix.py" "$1" "$2" "${3:-python}" "${@:4}") || fail "check_mix.py"
  [[ $said =~ ^right\ ([0-9]+)\ wrong\ ([0-9]+)\ missing\ ([0-9]+)\ other\ ([0-9]+)\ of\ ([0-9]+) ]] || fail "$said"
  right=${BASH_REMATCH[1]} wrong=${BASH_REMATCH[2]} missing=${BASH_REMATCH[3]} other=${BASH_REMATCH[4]} of=${BASH_REMATCH[5]}
  ((wrong == 0)) || fail "$said"
  [[ ! $said =~ \ lined\ ([0-9]+)\ wrong\ 0\ unlined\ ([0-9]+) ]] || lined=${BASH_REMATCH[1]} unlined=${BASH_REMATCH[2]}
}

# expect_lines SCRIPT DEPTH LANGUAGE : the program that was started shows the lines that run, and no wrong one.
expect_lines() {
  lined=0
  sample_enough 60 -F 499 -U -a --lines --max-stack-depth 512 -p "$started" 1
  check_mix "$tmp/out" "$2" "$3" "$scripts/$1"
  ((lined > 0)) || fail "no frame has a line; $(outcome)"
}
