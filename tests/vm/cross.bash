# shellcheck shell=bash
# Builds the program and the workloads for another architecture, against Debian's packages. These are unpacked in the
# cache and not installed. Sourced after fetch.bash.
: "${SOURCE_DIR:?}" "${BUILD_DIR:?}" "${here:?}" "${vm_cache:?}"
source "$SOURCE_DIR/scripts/packages.sh"

# Prints the packages for building and running the program, by the names of the table of packages.
cross_packages() {
  package_table | awk '$1 == "build" && $2 ~ /-dev$|^fonts-/ { print $2 }'
  printf '%s\n' libc6-dev libstdc++-12-dev doctest-dev libc-bin busybox-static linux-libc-dev-armhf-cross
}

# fetch_sysroot ARCHITECTURE : sets $sysroot to a directory with these packages and their dependencies.
fetch_sysroot() {
  local packages lock words status
  mapfile -t packages < <(cross_packages)
  sysroot=$vm_cache/packages/sysroot-$1-$(printf '%s\n' "${packages[@]}" | cksum | cut -d ' ' -f 1)
  mkdir -p "$vm_cache/packages" || return
  exec {lock}>"$vm_cache/.lock"
  flock "$lock"
  words=$([[ -e $sysroot ]] || unpack_sysroot "$1" "${packages[@]}" 2>&1)
  status=$?
  exec {lock}>&-
  if ((status != 0)); then
    printf '%s\n' "no packages of $1: $(tail -n 1 <<<"$words")" >&2
    return $status
  fi
  touch "$sysroot"
}
unpack_sysroot() {
  local new=$vm_cache/new-sysroot package apt
  rm -rf "$new" && mkdir -p "$new/archives/partial" "$new/tree" || return
  use_apt bookworm "$1" && update_lists || return
  shift
  # No package is installed in the new directory, so apt downloads all dependencies. Locking is off, because the lock
  # belongs to the system's own packages.
  apt-get -q -y -o Dir::Cache::archives="$new/archives" -o Debug::NoLocking=true --download-only --no-install-recommends \
    install "$@" || return
  for package in "$new"/archives/*.deb; do dpkg-deb -x "$package" "$new/tree" || return; done
  stay_inside "$new/tree" && mv "$new/tree" "$sysroot" && rm -rf "$new"
}
# Makes absolute links relative, because they would lead out of the directory.
stay_inside() {
  local link target up
  while read -r link target; do
    up=$(sed 's/[^/]*$//; s/[^/]*\//..\//g' <<<"${link#"$1/"}")
    ln -sfn "$up${target#/}" "$link" || return
  done < <(find "$1" -type l -lname '/*' -printf '%p %l\n')
}

# cross_build ARCHITECTURE TARGET... : builds the targets and sets $sysroot, $program, $programs and $busybox for a
# guest.
cross_build() {
  local architecture=$1 directory lock
  shift
  # One build at a time, because all rows of an architecture share it.
  exec {lock}>"$BUILD_DIR/.lock-$architecture" || fail "cannot write to $BUILD_DIR"
  flock "$lock"
  fetch_sysroot "$architecture" 2>"$tmp/err" || cannot "$(tail -n 1 "$tmp/err")"
  directory=$BUILD_DIR/${sysroot##*/}
  if ! { { configure_cross || configure_cross --fresh; } &&
    cmake --build "$directory" --target "$@" --parallel "$(nproc)"; } >"$tmp/build" 2>&1; then
    tail -n 20 "$tmp/build"
    fail "the program cannot be built for $architecture"
  fi
  exec {lock}>&-
  # shellcheck disable=SC2034 # of guest.bash
  program=$directory/profile programs=$directory/tests/workloads busybox=$sysroot/bin/busybox
}
configure_cross() {
  cmake "$@" -G Ninja -S "$SOURCE_DIR" -B "$directory" -DCMAKE_TOOLCHAIN_FILE="$here/$architecture.cmake" \
    -DSYSROOT="$sysroot" -DCMAKE_BUILD_TYPE=Release
}
