# shellcheck shell=bash
# bash completion for profile(8), printed by `profile --completion bash`.

# The functions below share the variables of _profile: `words` up to the cursor; the `value` to complete, and what stands
# before it in the same word, `stuck`.

# bash splits words at "=" and ":", too: puts them together again.
_profile_words() {
  local line=${COMP_LINE:0:COMP_POINT} blanks i
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    blanks=${line%%[![:space:]]*}
    line=${line#"$blanks"}
    if ((i == 0)) || [[ $blanks ]]; then words+=(''); fi
    if ((i == COMP_CWORD)); then
      words[-1]+=$line
    else
      words[-1]+=${COMP_WORDS[i]}
      line=${line#"${COMP_WORDS[i]}"}
    fi
  done
}

# _profile_offer WORD... : those that go on from the value.
_profile_offer() {
  local word
  for word; do
    if [[ $word == "$value"* ]]; then COMPREPLY+=("$stuck$word"); fi
  done
}

# What stands before the last of SEPARATORS is done with.
_profile_last_of_list() {
  local last=${value##*["$1"]}
  stuck+=${value%"$last"}
  value=$last
}

# _profile_paths f|d : files or directories, by readline itself where that begins its word at the same place.
_profile_paths() {
  local option=default path
  if [[ $1 == d ]]; then option=dirnames; fi
  if [[ ! $stuck || ($stuck == *= && $COMP_WORDBREAKS == *=*) || ($stuck == *: && $COMP_WORDBREAKS == *:*) ]]; then
    compopt -o "$option"
    return
  fi
  while IFS= read -r path; do
    if [[ -d $path ]]; then path+=/; fi
    COMPREPLY+=("$stuck$path")
  done < <(compgen "-$1" -- "$value")
}
_profile_files() { _profile_paths f; }
_profile_directories() { _profile_paths d; }

# A file, and behind a name of its own the endings that choose a format.
_profile_outputs() {
  local ending part i
  if [[ $value != *[\"\'\\]* ]]; then
    for ending in @endings@; do
      for ((i = ${#ending} - 1; i > 0; i--)); do
        part=${ending:0:i}
        if [[ $value == *[!/]"$part" ]]; then
          COMPREPLY+=("$stuck${value%"$part"}$ending")
          break
        fi
      done
    done
  fi
  if ((${#COMPREPLY[@]} == 0)); then
    _profile_files
  else
    while IFS= read -r part; do COMPREPLY+=("$stuck$part"); done < <(compgen -f -- "$value")
  fi
}

# _profile_threads GLOB : ids, the directories that match; a name stands for an id, and behind several stands whose they are.
_profile_threads() {
  local directory id name found=() named=()
  _profile_last_of_list ,
  for directory in $1; do
    { IFS= read -r name <"$directory/comm"; } 2>/dev/null || continue
    id=${directory##*/}
    if [[ $id == "$value"* || $name == "$value"* ]]; then
      found+=("$stuck$id")
      named+=("$stuck$id  (${name//[^[:print:]]/?})")
    fi
  done
  # 63, 33 and 64: what is found is listed. Otherwise its common beginning replaces what was typed.
  if ((${#found[@]} > 1)) && [[ ${COMP_TYPE:-} == @(63|33|64) ]]; then
    COMPREPLY=("${named[@]}")
  elif ((${#found[@]} == 1)) || [[ $value != *[!0-9]* ]]; then
    COMPREPLY=("${found[@]}")
  fi
}
_profile_pids() { _profile_threads '/proc/[0-9]*'; }
_profile_tids() { _profile_threads '/proc/[0-9]*/task/[0-9]*'; }

# Names of threads, as far as a shell takes them as they are.
_profile_names() {
  local file name
  local -A names=()
  for file in /proc/[0-9]*/task/[0-9]*/comm; do
    { IFS= read -r name <"$file"; } 2>/dev/null || continue
    if [[ $name && $name != *[!a-zA-Z0-9_./+-]* ]]; then names[$name]=1; fi
  done
  _profile_offer "${!names[@]}"
}

_profile_cpus() {
  local online range cpu
  _profile_last_of_list ,-
  { IFS= read -r online </sys/devices/system/cpu/online; } 2>/dev/null || return
  for range in ${online//,/ }; do
    for ((cpu = ${range%-*}; cpu <= ${range#*-}; cpu++)); do _profile_offer "$cpu"; done
  done
}

_profile_cgroups() {
  local where type
  if [[ ! $value ]]; then
    while read -r _ where type _; do
      if [[ $type == cgroup2 ]]; then _profile_offer "$where/"; fi
    done </proc/self/mounts
  fi
  if ((${#COMPREPLY[@]} == 0)); then _profile_directories; fi
}

_profile_pinned() {
  if [[ ! $value && -d /sys/fs/bpf ]]; then _profile_offer /sys/fs/bpf/; else _profile_files; fi
}

# _profile_tracepoints : SYSTEM: once something is typed, and the events of one, as far as tracefs can be read.
_profile_tracepoints() {
  local events directory
  for events in /sys/kernel/tracing/events /sys/kernel/debug/tracing/events; do
    if [[ -r $events ]]; then break; fi
  done
  if [[ $value == *:* ]]; then
    if [[ $value == */* ]]; then return; fi
    for directory in "$events/${value%%:*}"/*/; do
      directory=${directory%/}
      if [[ -d $directory ]]; then _profile_offer "${value%%:*}:${directory##*/}"; fi
    done
  elif [[ $value ]]; then
    for directory in "$events/$value"*/; do
      directory=${directory%/}
      if [[ -d $directory ]]; then _profile_offer "${directory##*/}:"; fi
    done
  fi
}

_profile_events() {
  _profile_offer @events@
  if [[ $value == uprobe:* ]]; then
    if [[ $value != uprobe:*:* ]]; then
      stuck+=uprobe:
      value=${value#uprobe:}
      _profile_files
    fi
  else
    _profile_tracepoints
  fi
}
@choices@_profile_nothing() { :; }

# A command and its arguments, behind -- , the word POSITION.
_profile_command() {
  local helper i
  for helper in _comp_command_offset _command_offset; do
    if ! declare -F "$helper" >/dev/null; then continue; fi
    for ((i = 1; i < COMP_CWORD; i++)); do
      if [[ ${COMP_WORDS[i]} == -- ]]; then
        "$helper" $((i + 1))
        return
      fi
    done
  done
  if (($1 == ${#words[@]} - 2)) && [[ $value != */* ]]; then
    mapfile -t COMPREPLY < <(compgen -c -- "$value")
  else
    compopt -o default
  fi
}

# Sets `kind` when the word before takes the one to complete for its value.
_profile_kind_of_next() {
  local before=$1 i
  if [[ $before == --* ]]; then
    kind=${takes[$before]:-}
  elif [[ $before == -?* ]]; then
    for ((i = 1; i < ${#before}; i++)); do
      if [[ ${takes[-${before:i:1}]:-} ]]; then
        if ((i == ${#before} - 1)); then kind=${takes[-${before:i:1}]}; fi
        return
      fi
    done
  fi
}

# The same when the word to complete has its option in it: --format=... and -p...
_profile_kind_of_own() {
  local name=${value%%=*} i
  if [[ $value == --*=* ]]; then
    kind=${takes[$name]:-${may_take[$name]:-nothing}}
    stuck=$name=
  elif [[ $value == -[!-]?* ]]; then
    for ((i = 1; i < ${#value} - 1; i++)); do
      if [[ ${takes[-${value:i:1}]:-} ]]; then
        kind=${takes[-${value:i:1}]}
        stuck=${value:0:i+1}
        break
      fi
    done
  fi
  value=${value#"$stuck"}
}

# What readline takes for done of the word is no part of a reply.
_profile_cut() {
  local typed=$1 breaks='' done_with i
  if [[ $COMP_WORDBREAKS == *=* ]]; then breaks+='='; fi
  if [[ $COMP_WORDBREAKS == *:* ]]; then breaks+=':'; fi
  if [[ $breaks && $typed == *["$breaks"]* ]]; then
    done_with=${typed%"${typed##*["$breaks"]}"}
    for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${COMPREPLY[i]#"$done_with"}; done
  fi
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[=:/] ]]; then compopt -o nospace; fi
}

_profile() {
  local words value stuck='' kind='' typed i
  local options=(@options@)
  local -A takes=(@takes@)
  local -A may_take=(@may_take@)
  COMPREPLY=()
  _profile_words
  case ${words[1]} in@subcommand_options@
  esac
  value=${words[-1]}
  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    if [[ ${words[i]} == -- ]]; then
      _profile_command "$i"
      return
    fi
  done

  typed=$value
  if ((${#words[@]} > 2)); then _profile_kind_of_next "${words[-2]}"; fi
  if [[ ! $kind ]]; then _profile_kind_of_own; fi
  # An open quotation: nothing in it divides the word.
  if [[ $kind && $value == [\"\']* ]]; then
    value=${value:1}
    typed='' stuck=''
  fi

  if [[ $kind ]]; then
    "_profile_$kind"
  elif [[ $value == -* ]]; then
    _profile_offer "${options[@]}"
  elif ((${#words[@]} == 2)); then
    _profile_offer @subcommands@
  elif [[ ${words[1]} == store ]]; then
    _profile_offer init
  elif [[ ${words[1]} == @(@subcommands_pattern@) ]]; then
    _profile_files
  fi
  _profile_cut "$typed"
}

complete -F _profile profile
