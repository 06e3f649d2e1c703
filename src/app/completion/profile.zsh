#compdef profile
# zsh completion for profile(8), printed by `profile --completion zsh`.

# A file, and behind a name of its own the endings that choose a format.
_profile_outputs() {
  local ending part found=1
  local -i i
  for ending in @endings@; do
    for (( i = $#ending - 1; i > 0; i-- )); do
      part=${ending[1,i]}
      if [[ $PREFIX == *[^/]$part ]]; then
        compadd -- ${PREFIX%$part}$ending && found=0
        break
      fi
    done
  done
  _files && found=0
  return found
}

# _profile_threads WHAT DIRECTORY... : ids, with the names of whose they are.
_profile_threads() {
  local what=$1 directory name
  local -a threads
  for directory in $argv[2,-1]; do
    { IFS= read -r name <$directory/comm } 2>/dev/null || continue
    threads+=("${directory:t}:${name//[^[:print:]]/?}")
  done
  _sequence _describe -t threads $what threads
}
_profile_pids() { _profile_threads process /proc/<->(N) }
_profile_tids() { _profile_threads thread /proc/<->/task/<->(N) }

_profile_names() {
  local file name
  local -aU names
  for file in /proc/<->/task/<->/comm(N); do
    { IFS= read -r name <$file } 2>/dev/null || continue
    if [[ -n $name && $name != *[^[:print:]]* ]]; then names+=($name); fi
  done
  compadd "$@" -- $names
}

_profile_cpus() {
  local range online
  local -a cpus
  { IFS= read -r online </sys/devices/system/cpu/online } 2>/dev/null || return 1
  for range in ${(s:,:)online}; do cpus+=({${range%-*}..${range#*-}}); done
  compset -P '*[,-]'
  compadd -S '' -- $cpus
}

_profile_cgroups() {
  local where type rest
  if [[ -z $PREFIX$SUFFIX ]]; then
    while read -r rest where type rest; do
      if [[ $type == cgroup2 ]]; then compadd -S '' -- $where/; fi
    done </proc/self/mounts
  else
    _files -/
  fi
}

_profile_pinned() {
  if [[ -z $PREFIX$SUFFIX && -d /sys/fs/bpf ]]; then compadd -S '' -- /sys/fs/bpf/; else _files; fi
}

# The tracepoints, as far as tracefs can be read.
_profile_tracepoints() {
  local -a where=(/sys/kernel/{tracing,debug/tracing}/events(Nr))
  (( $#where )) || return 1
  if compset -P '(#b)([^:/]##):'; then
    local -a names=($where[1]/$match[1]/*(N/:t))
    _describe -t tracepoints tracepoint names
  else
    local -a systems=($where[1]/*(N/:t))
    _describe -t systems 'system of tracepoints' systems -qS :
  fi
}

_profile_events() {
  local -a events=(
@events@
  )
  if compset -P 'uprobe:'; then
    if [[ $PREFIX == *:* ]]; then return 1; fi
    _files -S :
    return
  fi
  if [[ $PREFIX != *:* ]]; then
    _alternative 'events:event:(( $events ))' 'probes:probe:compadd -S "" uprobe\:' 'tracepoints:tracepoint:_profile_tracepoints'
  else
    _profile_tracepoints
  fi
}
_profile_files() { _files }
_profile_directories() { _files -/ }
@choices@
# The first word is a number of seconds, or one of these.
_profile_first() {
  local -a commands=(
@subcommands@
  )
  if [[ $PREFIX == -* ]]; then return 1; fi
  if (( CURRENT == 2 )) && _describe -t commands command commands; then return; fi
  _message -e durations seconds
}

_profile() {
  setopt localoptions extendedglob
  local -i dashes=${words[(i)--]}
  if (( dashes < CURRENT )); then
    shift $dashes words
    (( CURRENT -= dashes ))
    _normal
    return
  fi
  local -a specs=(@specs@
    '1: :_profile_first')
  if (( CURRENT > 2 )); then
    case ${words[2]} in
@subcommand_specs@      *) _arguments -s $specs; return ;;
    esac
    shift words
    (( CURRENT-- ))
  fi
  _arguments -s $specs
}

# Called as a function of this name when it is loaded by need, and sourced otherwise.
if [[ $funcstack[1] == _profile ]]; then _profile "$@"; else compdef _profile profile; fi
