# shellcheck shell=bash
# Kernel headers for bcc, which compiles its BPF program against them at every start. If those of the running kernel are
# missing, Debian's headers for its stock kernel are enough: profile.py reads no field that differs. The packages are only
# unpacked, not installed. Sourced by scripts/bench.

bcc_settings=() # its environment

# fetch_kernel_headers DIR LOG : sets bcc_settings, or prints why it cannot.
fetch_kernel_headers() {
  local dir=$1 log=$2
  if [[ -e /lib/modules/$(uname -r)/build || -e /sys/kernel/kheaders.tar.xz ]]; then return; fi
  if [[ ! -e $dir/complete ]] && ! unpack_kernel_headers "$dir" >>"$log" 2>&1; then
    say "no kernel headers for bcc: none under /lib/modules/$(uname -r), and Debian's could not be fetched ($log)"
    return
  fi
  # Without it bcc would use the version of the running kernel, but these headers are of 6.1.176.
  # shellcheck disable=SC2034 # read by scripts/bench
  bcc_settings=(BCC_KERNEL_SOURCE="$dir" BCC_LINUX_VERSION_CODE=393648)
}

# Merges the architecture's tree and the common one: include/ and arch/*/include/ of both.
unpack_kernel_headers() {
  local dir=$1 arch own package
  arch=$(dpkg --print-architecture) || return
  own=$(apt-cache depends "linux-headers-$arch" | sed -n 's/^ *Depends: \(linux-headers-[^ ]*\)$/\1/p' | head -n 1)
  [[ $own ]] || return
  rm -rf "$dir"
  mkdir -p "$dir/packages" || return
  (cd "$dir/packages" && apt-get download "$own" "${own%-"$arch"}-common") || return
  for package in "$dir"/packages/*.deb; do
    dpkg-deb --fsys-tarfile "$package" |
      tar -x -C "$dir" --strip-components=4 --wildcards "./usr/src/linux-headers-*/include" || return
  done
  rm -r "$dir/packages"
  : >"$dir/complete"
}
