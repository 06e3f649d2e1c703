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
is_parser_waiting() { [[ $(status_of "$1" Seccomp) == 2 && $(cat "/proc/$1/syscall" 2>/dev/null) == [0-9]* ]]; }
is_traced_by() { [[ $(status_of "$1" TracerPid) == "$2" ]]; }
# begin_with_attack PROGRAM TIMES HEX OPTION... : begins a run of a process, $target, of user 65534 that becomes PROGRAM
# when the parser, $parser, is already taken over by $intruder. So the first question is about a file of PROGRAM, and instead of
# an answer the parser says these bytes so often (tests/workloads/intruder.c).
begin_with_attack() {
  rm -f "$tmp/go"
  mkfifo -m 644 "$tmp/go"
  # shellcheck disable=SC2016  # the shell that is started expands these
  start setpriv --reuid=65534 --regid=65534 --clear-groups sh -c 'read -r _ <"$0"; exec "$1" 600' "$tmp/go" "$1"
  # shellcheck disable=SC2154
  target=$started
  begin -F 99 -p "$target" "${@:4}"
  wait_until has_child profile-parser
  parser=$(child profile-parser)
  wait_until is_parser_waiting "$parser"
  start "$WORKLOADS/intruder" "$parser" say "$2" "$3"
  intruder=$started
  wait_until is_traced_by "$parser" "$intruder"
  printf '\n' >"$tmp/go"
}
