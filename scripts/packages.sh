# shellcheck shell=bash
# THE table of what building, testing and benchmarking need, and how it gets installed. Sourced by run, test and bench, so
# that a package is named once. Debian 12 is installed for; other distributions are looked over and told what is missing.

# group, Debian package, and how to see on another distribution that it is there: a command, or a header in <>. With a ~
# the command is enough on Debian, too: Node.js often comes from elsewhere, in packages that Debian's npm conflicts with.
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
build libboost-program-options-dev <boost/program_options.hpp>
test  ccache                       ccache
test  doctest-dev                  <doctest/doctest.h>
test  clang-format                 clang-format
test  clang-tidy                   clang-tidy
test  libclang-rt-14-dev           -
test  llvm                         -
test  python3                      python3
test  python3-jsonschema           -
test  golang-go                    go
test  chromium                     chromium
test  nodejs                       ~node
test  npm                          ~npm
test  curl                         curl
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
test  libdw-dev                    <elfutils/libdw.h>
test  lld                          ld.lld
test  xz-utils                     xz
test  shellcheck                   shellcheck
test  util-linux                   unshare
test  mount                        mount
test  strace                       strace
test  libcap2-bin                  capsh
test  procps                       ps
test  qemu-system-x86              qemu-system-x86_64
test  qemu-system-arm              qemu-system-aarch64
test  busybox-static               ~busybox
test  cpio                         cpio
test  zstd                         zstd
test  musl-tools                   musl-gcc
bench linux-perf                   perf
bench bpftrace                     bpftrace
bench bpfcc-tools                  profile-bpfcc
bench python3                      python3
bench strace                       strace
bench chromium                     chromium
bench nodejs                       ~node
bench npm                          ~npm
TABLE
}

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
stop() {
  say "$@"
  exit 1
}

# letting_go LOCKS COMMAND... : without the descriptors of these locks (one word, with blanks between them): what the command leaves
# running when this script is killed would hold them.
letting_go() (
  for lock in $1; do
    descriptor=${!lock:-}
    if [[ $descriptor ]]; then exec {descriptor}>&-; fi
  done
  "${@:2}"
)

# run_logged LOG WHAT COMMAND... : the command's words go to LOG; when it fails, the last of them and one line are shown.
run_logged() {
  local log=$1 what=$2
  shift 2
  letting_go machine_lock "$@" </dev/null >>"$log" 2>&1 && return
  tail -n 25 "$log" >&2
  stop "$what failed; the whole log is $log"
}

# Runs a command as root: directly for root, who may have no sudo at all.
become_root() {
  if ((EUID == 0)); then "$@"; else sudo -- "$@"; fi
}
require_root() {
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    stop "$1 needs root, and there is no sudo here: run this as root"
  fi
}

# Debian packages of the groups that are not installed.
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

# The same elsewhere, by what can be seen: commands, and headers the compiler finds.
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

# unless_locked LOG COMMAND... : again for five minutes as long as a lock of another's is in its way: apt waits for some of its
# locks itself, not for that of its lists.
unless_locked() {
  local log=$1 left before
  shift
  for ((left = 60; left > 0; left--)); do
    before=$(stat -c %s "$log")
    letting_go 'build_lock machine_lock' become_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@" </dev/null >>"$log" 2>&1 && return
    tail -c "+$((before + 1))" "$log" | grep -q 'Could not get lock\|locked by another process' || return 1
    if ((left == 60)); then say "waiting for another's lock on the packages of this machine"; fi
    sleep 5
  done
  return 1
}

# After a dpkg that was killed apt installs nothing until somebody has had it finished.
finish_interrupted_dpkg() {
  [[ $(find /var/lib/dpkg/updates -type f -name '[0-9]*' 2>/dev/null) || $(dpkg --audit 2>/dev/null) ]] || return 0
  say "finishing what dpkg was interrupted in"
  # What it cannot finish, apt will name.
  unless_locked "$1" dpkg --configure -a || true
}

install_on_debian() {
  local log=$1 apt
  shift
  require_root "installing $*"
  say "installing: $*"
  finish_interrupted_dpkg "$log"
  apt=(unless_locked "$log" apt-get -q -y -o DPkg::Lock::Timeout=300)
  # With the package lists of a machine that has been used this is enough; a fresh or a stale one fetches them first.
  "${apt[@]}" install --no-install-recommends "$@" && return
  run_logged "$log" "apt-get update" "${apt[@]}" update
  run_logged "$log" "installing $*" "${apt[@]}" install --no-install-recommends "$@"
}

# ensure_packages LOG GROUP... : installs what is missing, or on another distribution says what is, and stops.
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
