# shellcheck shell=bash
# The one table of the packages that building, testing and benchmarking need, and the functions that install them. run,
# test and bench source it. On Debian 12 it installs what is missing; on other distributions it only names it.

# Columns: group (both: of test and of bench), Debian package, and the sign of the package on other distributions: a
# command, or a header in <>. ~ before a command: the command is enough on Debian, too. Node.js often comes from
# packages that conflict with Debian's npm.
package_table() {
  cat <<'TABLE'
build g++                          g++
build cmake                        cmake
build ninja-build                  ninja
build pkg-config                   pkg-config
build clang                        clang
build bpftool                      bpftool
build linux-libc-dev               <linux/bpf.h>
build libbpf-dev                   <bpf/libbpf.h>
build libelf-dev                   <gelf.h>
build liblzma-dev                  <lzma.h>
build zlib1g-dev                   <zlib.h>
build libzstd-dev                  <zstd.h>
build libiberty-dev                <libiberty/demangle.h>
build rapidjson-dev                <rapidjson/writer.h>
build libprotozero-dev             <protozero/pbf_builder.hpp>
build libcairo2-dev                <cairo/cairo.h>
build fonts-dejavu-core            -
build libmicrohttpd-dev            <microhttpd.h>
build libncurses-dev               <ncurses.h>
build libsqlite3-dev               <sqlite3.h>
build libcurl4-gnutls-dev          <curl/curl.h>
build libcapstone-dev              <capstone/capstone.h>
build libboost-program-options-dev <boost/program_options.hpp>
test  ccache                       ccache
test  doctest-dev                  <doctest/doctest.h>
test  clang-format                 clang-format
test  clang-tidy                   clang-tidy
test  libclang-rt-14-dev           -
test  llvm                         -
both  python3                      python3
test  php-cli                      php
test  ruby                         ruby
test  perl                         perl
test  python3-jsonschema           -
test  golang-go                    go
both  chromium                     chromium
both  nodejs                       ~node
both  npm                          ~npm
test  curl                         curl
test  openssl                      openssl
test  zsh                          zsh
test  debootstrap                  debootstrap
test  dpkg-dev                     dpkg-shlibdeps
test  rpm                          rpmbuild
test  file                         file
test  mandoc                       mandoc
test  man-db                       man
test  groff                        groff
test  binutils                     strip
test  dwz                          dwz
test  libdebuginfod1               -
test  libcapstone4                 -
test  libdw-dev                    <elfutils/libdw.h>
test  lld                          ld.lld
test  xz-utils                     xz
test  shellcheck                   shellcheck
test  util-linux                   unshare
test  mount                        mount
both  strace                       strace
test  libcap2-bin                  capsh
test  procps                       ps
test  qemu-system-x86              qemu-system-x86_64
test  qemu-system-arm              qemu-system-aarch64
test  sqlite3                      sqlite3
test  clickhouse-server            clickhouse-server
test  prometheus                   promtool
test  busybox-static               ~busybox
test  cpio                         cpio
test  zstd                         zstd
test  musl-tools                   musl-gcc
bench linux-perf                   perf
bench bpftrace                     bpftrace
bench bpfcc-tools                  profile-bpfcc
TABLE
}

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
stop() {
  say "$@"
  exit 1
}

# let_go LOCKS : closes the descriptors of these locks (one word, separated by blanks). Processes that outlive this
# script would otherwise hold the locks.
let_go() {
  local lock descriptor
  for lock in $1; do
    descriptor=${!lock:-}
    if [[ $descriptor ]]; then exec {descriptor}>&-; fi
  done
}
# letting_go LOCKS COMMAND... : runs the command without the descriptors of these locks.
letting_go() (
  let_go "$1"
  "${@:2}"
)

# show_last_line LOG BEFORE : shows the last line of LOG on the terminal, over the one before, until it is killed or this
# script ends. Nothing is shown as long as that is BEFORE, because sudo may be asking for a password.
show_last_line() {
  local before=$2 line columns
  let_go 'build_lock machine_lock'
  while sleep 1 && kill -0 $$ 2>/dev/null; do
    line=$(tail -n 1 "$1")
    if [[ $line == "$before" ]]; then continue; fi
    before=$line
    columns=$(stty size <&2 2>/dev/null | cut -d ' ' -f 2)
    if ((${columns:-0} == 0)); then columns=80; fi
    line=${line//[[:cntrl:]]/}
    printf '\r\e[K%s' "${line:0:columns-1}"
  done
}

# logged LOG COMMAND... : the output of the command goes to LOG. On a terminal its last line is shown meanwhile.
logged() {
  local log=$1 before shown_by='' status=0
  shift
  if [[ -t 2 ]]; then
    before=$(tail -n 1 "$log")
    show_last_line "$log" "$before" >&2 &
    shown_by=$!
  fi
  "$@" </dev/null >>"$log" 2>&1 || status=$?
  if [[ $shown_by ]]; then
    kill "$shown_by" && wait "$shown_by" 2>/dev/null
    printf '\r\e[K' >&2
  fi
  return "$status"
}

# run_logged LOG WHAT COMMAND... : runs the command as `logged` does. When the command fails, this prints the last
# lines of LOG and stops the script.
run_logged() {
  local log=$1 what=$2
  shift 2
  logged "$log" letting_go machine_lock "$@" && return
  tail -n 25 "$log" >&2
  stop "$what failed; the whole log is $log"
}

# Runs a command as root. Root calls it directly, because sudo may not be installed.
become_root() {
  if ((EUID == 0)); then "$@"; else sudo -- "$@"; fi
}
require_root() {
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    stop "$1 needs root, and there is no sudo here: run this as root"
  fi
}

# Prints the packages of these groups that Debian does not have installed.
missing_on_debian() {
  local -A installed=()
  local name state packages group package sign
  mapfile -t packages < <(package_table | awk -v groups=" $* " 'index(groups, " " $1 " ") { print $2 }')
  while read -r group package sign; do
    if [[ $sign == \~* ]] && command -v "${sign#\~}" >/dev/null; then installed[$package]=1; fi
  done < <(package_table)
  while read -r name state; do
    if [[ $state == ?i ]]; then installed[${name%%:*}]=1; fi
  done < <(dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' "${packages[@]}" 2>/dev/null)
  for name in "${packages[@]}"; do
    if [[ ! ${installed[$name]:-} ]]; then printf '%s\n' "$name"; fi
  done
}

# Prints the packages of these groups whose sign (a command, or a header that the compiler finds) is missing.
missing_elsewhere() {
  local PATH=$PATH:/usr/sbin:/usr/local/sbin group package sign
  while read -r group package sign; do
    if [[ " $* " != *" $group "* || $sign == - ]]; then continue; fi
    if [[ $sign == \<* ]]; then
      g++ -fsyntax-only -x c++ - 2>/dev/null <<<"#if !__has_include($sign)
#error
#endif" || printf '%s\n' "$package"
    else
      command -v "${sign#\~}" >/dev/null || printf '%s\n' "$package"
    fi
  done < <(package_table)
}

# unless_locked LOG COMMAND... : repeats the command for five minutes while another process holds a lock that it needs.
# apt itself waits for some of its locks, but not for the lock of its package lists.
unless_locked() {
  local log=$1 left before
  shift
  for ((left = 60; left > 0; left--)); do
    before=$(stat -c %s "$log")
    logged "$log" letting_go 'build_lock machine_lock' become_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@" && return
    tail -c "+$((before + 1))" "$log" | grep -q 'Could not get lock\|locked by another process' || return 1
    if ((left == 60)); then say "waiting for another's lock on the packages of this machine"; fi
    sleep 5
  done
  return 1
}

# After dpkg was killed, apt installs nothing until `dpkg --configure -a` has run.
finish_interrupted_dpkg() {
  [[ $(find /var/lib/dpkg/updates -type f -name '[0-9]*' 2>/dev/null) || $(dpkg --audit 2>/dev/null) ]] || return 0
  say "finishing what dpkg was interrupted in"
  # apt names the packages that this cannot finish.
  unless_locked "$1" dpkg --configure -a || true
}

install_on_debian() {
  local log=$1 apt
  shift
  require_root "installing $*"
  say "installing: $*"
  finish_interrupted_dpkg "$log"
  apt=(unless_locked "$log" apt-get -q -y -o DPkg::Lock::Timeout=300)
  # This is enough where the package lists are present and current. Otherwise the next two lines fetch them first.
  "${apt[@]}" install --no-install-recommends "$@" && return
  run_logged "$log" "apt-get update" "${apt[@]}" update
  run_logged "$log" "installing $*" "${apt[@]}" install --no-install-recommends "$@"
}

# ensure_packages LOG GROUP... : installs what is missing. On another distribution it names what is missing and stops.
ensure_packages() {
  local log=$1 ID='' VERSION_ID='' PRETTY_NAME='an unknown system' missing
  shift
  if [[ -r /etc/os-release ]]; then source /etc/os-release; fi
  if [[ $ID == debian && $VERSION_ID == 12 ]]; then
    mapfile -t missing < <(missing_on_debian "$@")
    if ((${#missing[@]} != 0)); then install_on_debian "$log" "${missing[@]}"; fi
  else
    mapfile -t missing < <(missing_elsewhere "$@")
    if ((${#missing[@]} != 0)); then
      stop "this is $PRETTY_NAME, not Debian 12: please install, by the names Debian gives them: ${missing[*]}"
    fi
  fi
}
