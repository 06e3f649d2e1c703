# shellcheck shell=bash
# Finds the profiler's own children by their names. sampling.bash is sourced only once, because a second time would make
# a second $tmp.
declare -F sample >/dev/null || source "$(dirname "${BASH_SOURCE[0]}")/sampling.bash"
need_command pgrep

# shellcheck disable=SC2034
children=(profile-keeper profile-opener profile-parser)
# child NAME : prints the current pid of that descendant of $profiler; nothing when it does not exist.
child() {
  local keeper
  keeper=$(pgrep -x -P "$profiler" profile-keeper)
  if [[ $1 == profile-keeper ]]; then printf '%s' "$keeper"; elif [[ $keeper ]]; then pgrep -n -x -P "$keeper" "$1"; fi
}
has_child() { [[ $(child "$1") ]]; }
# has_opened FILE : true when the opener has the file open.
has_opened() {
  local opener
  opener=$(child profile-opener)
  [[ $opener && $(find -L "/proc/$opener/fd" -samefile "$1" 2>/dev/null) ]]
}
# is_gone PID : the process has ended, or is a zombie.
is_gone() { ! grep -q '^State:[^ZX]*$' "/proc/$1/status" 2>/dev/null; }
# status_of PID NAME : prints the value of that line of its status.
status_of() { sed -n "s/^$2:[[:blank:]]*//p" "/proc/$1/status"; }
