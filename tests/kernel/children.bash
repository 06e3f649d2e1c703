# shellcheck shell=bash
# For the tests of the profiler's own children: which they are, by their names.
# A second reading would make a second $tmp.
declare -F sample >/dev/null || source "$(dirname "${BASH_SOURCE[0]}")/sampling.bash"
need_command pgrep

# shellcheck disable=SC2034
children=(profile-keeper profile-opener profile-parser)
# child NAME : its pid now, as a descendant of $profiler; nothing where there is none.
child() {
  local keeper
  keeper=$(pgrep -x -P "$profiler" profile-keeper)
  if [[ $1 == profile-keeper ]]; then printf '%s' "$keeper"; elif [[ $keeper ]]; then pgrep -n -x -P "$keeper" "$1"; fi
}
has_child() { [[ $(child "$1") ]]; }
# has_opened FILE : the opener has it.
has_opened() {
  local opener
  opener=$(child profile-opener)
  [[ $opener && $(find -L "/proc/$opener/fd" -samefile "$1" 2>/dev/null) ]]
}
# is_gone PID : it has ended, and at most waits to be buried.
is_gone() { ! grep -q '^State:[^ZX]*$' "/proc/$1/status" 2>/dev/null; }
# status_of PID NAME : the rest of that line.
status_of() { sed -n "s/^$2:[[:blank:]]*//p" "/proc/$1/status"; }
