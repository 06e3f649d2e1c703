# shellcheck shell=bash
# Configures and builds one directory. run, test, defects, bench and fuzz source it, after packages.sh; `root` must name
# the checkout. It does almost nothing when nothing has changed.
: "${root:?}"

# holders_of FILE : prints one line for each other process that has FILE open, if this user may look into that process.
holders_of() {
  local pid
  # Closes the lock, so that `find` and the other helpers do not hold it.
  exec {build_lock}>&-
  for pid in $(find /proc/[0-9]*/fd -lname "$1" 2>/dev/null | cut -d / -f 3 | sort -nu); do
    if ((pid != $$)); then printf '%s: %.100s\n' "$pid" "$(tr '\0' ' ' <"/proc/$pid/cmdline")"; fi
  done 2>/dev/null
}

# Allows one build at a time in a directory, even when two scripts start at once. The compilers of a killed script hold
# the lock until they end.
open_build_directory() {
  mkdir -p "$1" 2>/dev/null
  if [[ ! -w $1 || (-e $1/.lock && ! -w $1/.lock) ]]; then
    stop "cannot write to $1: it belongs to $(stat -c %U "$1/.lock" 2>/dev/null || echo somebody else); remove it first"
  fi
  exec {build_lock}>"$1/.lock" || exit 1
  if flock -n "$build_lock"; then return; fi
  say "waiting for $1, which is in use:" "$(holders_of "$(readlink -f "$1/.lock")")"
  flock -w 600 "$build_lock" || stop "$1 is still in use after ten minutes:" "$(holders_of "$(readlink -f "$1/.lock")")"
}
close_build_directory() { exec {build_lock}>&-; }

# Root may build in another user's checkout. Its owner must be able to change and remove the files.
give_back() {
  if [[ $(stat -c %u "$root") != 0 ]]; then
    become_root chown -R --reference="$root" "$1"
  fi
}

# True when the directory is not configured completely, or is configured for another place: the checkout was moved or
# copied.
is_stale() {
  local cache=$1/CMakeCache.txt
  [[ ! -e $cache || (! -e $1/build.ninja && ! -e $1/Makefile) ||
    ! $(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$cache") -ef $root ||
    ! $(sed -n 's/^CMAKE_CACHEFILE_DIR:INTERNAL=//p' "$cache") -ef $1 ]]
}

# True when the directory is configured with all of these -DNAME=VALUE.
settings_hold() {
  local cache=$1/CMakeCache.txt setting
  shift
  for setting; do
    setting=${setting#-D}
    grep -q "^${setting%%=*}:[A-Z]*=${setting#*=}\$" "$cache" || return 1
  done
}

# build_directory DIR LOG TARGETS [-DNAME=VALUE...] : TARGETS is one word, separated by blanks.
build_directory() {
  local dir=$1 log=$2 targets
  read -ra targets <<<"$3"
  shift 3
  if is_stale "$dir"; then
    say "building in $dir, which takes some minutes the first time"
    run_logged "$log" "configuring" cmake --fresh -G Ninja -S "$root" -B "$dir" "$@"
  elif ! settings_hold "$dir" "$@"; then
    run_logged "$log" "configuring" cmake -S "$root" -B "$dir" "$@"
  fi
  run_logged "$log" "the build" cmake --build "$dir" --target "${targets[@]}" --parallel "$(build_jobs)"
}

# Uses ccache if it is installed and its cache is writable, so that clones share objects. Sets $launched for
# build_directory.
use_compiler_cache() {
  local cache launcher=''
  if command -v ccache >/dev/null && cache=$(ccache --get-config=cache_dir 2>/dev/null) && mkdir -p "$cache" 2>/dev/null && [[ -w $cache ]]; then
    export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
    launcher=ccache
  fi
  # shellcheck disable=SC2034
  launched=("-DCMAKE_C_COMPILER_LAUNCHER=$launcher" "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher")
}

# One job per CPU, limited by memory: a C++ file takes up to half a gigabyte.
build_jobs() {
  local cpus kilobytes by_memory
  cpus=$(nproc)
  kilobytes=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)
  by_memory=$((${kilobytes:-1000000} / 500000))
  if ((by_memory < 1)); then by_memory=1; fi
  if ((by_memory < cpus)); then
    say "only $((kilobytes / 1000)) MB of memory are free: $by_memory at a time, not $cpus"
  fi
  printf '%s' "$((cpus < by_memory ? cpus : by_memory))"
}
