# shellcheck shell=bash
# Runs virtual machines in QEMU: chooses the emulator for an architecture, makes the first file system of a guest,
# starts it, and reads its results from a raw disk.
: "${PROFILE:?}" "${WORKLOADS:?}" "${tmp:?}" "${tree:?}"

# Sets everything that depends on the architecture. $sysroot and $program belong to the guest's architecture.
use_architecture() {
  case $1 in
    amd64)
      triplet=x86_64-linux-gnu
      # Without cmpxchg16b: QEMU 7.2 sets wrong flags after it, and Linux 6.12 soon crashes.
      emulator=(qemu-system-x86_64 -machine pc -cpu max,-cx16)
      # Skips a check of the timer that fails on a busy host.
      words=(console=ttyS0 no_timer_check)
      ;;
    arm64)
      triplet=aarch64-linux-gnu
      # Signs addresses by QEMU's own method, because the standard one takes most of the emulation time.
      emulator=(qemu-system-aarch64 -machine virt -cpu max,pauth-impdef=on)
      words=(console=ttyAMA0)
      cross_build "$1" profile busybody frameless rivals
      return
      ;;
    *) fail "the table of kernels names the unknown architecture $1" ;;
  esac
  sysroot=/ program=$PROFILE programs=$WORKLOADS busybox=$(command -v busybox)
}

# --- The first file system -------------------------------------------------------------------------------------------
needed_by() { LC_ALL=C readelf -dW "$1" 2>/dev/null | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p'; }
interpreter_of() { LC_ALL=C readelf -lW "$1" 2>/dev/null | sed -nE 's/.*Requesting program interpreter: (.*)\]/\1/p'; }

# add_program FILE PLACE : copies it into $tree without debug information, together with the libraries that it needs.
add_program() {
  local name found interpreter
  mkdir -p "$(dirname "$tree$2")"
  llvm-strip -g -o "$tree$2" "$1" 2>/dev/null || cp -L "$1" "$tree$2" || fail "$1 cannot be copied"
  interpreter=$(interpreter_of "$1")
  if [[ $interpreter && ! -e $tree$interpreter ]]; then
    mkdir -p "$(dirname "$tree$interpreter")" && cp -L "$sysroot$interpreter" "$tree$interpreter" || fail "there is no $interpreter"
  fi
  while read -r name; do
    if [[ -e $tree/lib/$triplet/$name ]]; then continue; fi
    found=$(find "$sysroot/lib/$triplet/$name" "$sysroot/usr/lib/$triplet/$name" 2>/dev/null | head -n 1)
    [[ $found ]] || fail "$1 wants $name, which is not here"
    add_program "$found" "/lib/$triplet/$name"
  done < <(needed_by "$1")
}

# Makes $tree, the part that all kernels of an architecture share.
make_tree() {
  local part
  mkdir -p "$tree"/{bin,dev,etc,lib,proc,sys,tmp,run,out,root,usr/{lib,sbin},work}
  add_program "$busybox" /bin/busybox
  ln -s busybox "$tree/bin/sh"
  add_program "$program" /usr/sbin/profile
  for part in "$(dirname "$program")"/profile-*.so; do
    if [[ -e $part ]]; then add_program "$part" "/usr/sbin/${part##*/}"; fi
  done
  for part; do add_program "$programs/$part" "/work/$part"; done
  # Programs find libraries through the cache of ldconfig.
  add_program "$sysroot/sbin/ldconfig" /sbin/ldconfig
  printf '/lib/%s\n' "$triplet" >"$tree/etc/ld.so.conf"
  printf '%s\n' root:x:0:0:root:/root:/bin/sh nobody:x:65534:65534:nobody:/:/bin/sh >"$tree/etc/passwd"
  printf '127.0.0.1 localhost\n' >"$tree/etc/hosts"
}

# Adds Debian 12's Python, and a program for it whose stacks are known.
add_python() {
  local package version=python3.11
  for package in "lib$version-minimal" "$version-minimal"; do
    fetch_package bookworm "$architecture" "${package//./\\.}" 2>"$tmp/err" || cannot "$(tail -n 1 "$tmp/err")"
    if [[ -d $unpacked/usr/lib/$version ]]; then cp -r "$unpacked/usr/lib/$version" "$tree/usr/lib/"; fi
  done
  add_program "$unpacked/usr/bin/$version" "/usr/bin/$version"
  cp "$SOURCE_DIR/tests/workloads/scripts/mix.py" "$tree/work/"
  # Compiled now, because an emulated machine is slow. Another version of Python makes files that this one ignores.
  python3 -m compileall -q -s "$tree" "$tree/usr/lib/$version" >/dev/null 2>&1
}

# add_kernel DIR : sets $image to the kernel in there, and adds the modules for disks and their file systems, in the
# order of their dependencies.
add_kernel() {
  local want module
  image=$(find "$@" -name 'vmlinuz*' -type f | head -n 1)
  [[ $image ]] || fail "there is no kernel in $*"
  mkdir -p "$tree/modules"
  for want in virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk \
    crc16 crc32c_generic mbcache jbd2 ext4 loop; do
    module=$(find "$@" -name "$want.ko*" -type f | head -n 1)
    case $module in
      *.xz) xz -dc "$module" ;;
      *.zst) zstd -qdc "$module" ;;
      *.ko) cat "$module" ;;
      *) continue ;; # built in
    esac >"$tree/modules/$want.ko" || fail "$module cannot be read"
    printf '%s\n' "$want" >>"$tree/modules/list"
  done
}

# --- The guest -------------------------------------------------------------------------------------------------------
# boot SECONDS PATIENCE CPUS MEGABYTES WORD... : starts $image on $tree with these words on the kernel's command line.
# $tmp/left gets the files of the guest's /out, and $tmp/console its output. The second disk, $tmp/disk, is for the
# guest's own use; it is made here unless it is there.
# The guest is stopped after SECONDS, or after PATIENCE seconds without output. 1: the guest did not reach its first
# process; 2: it did, but it did not reach its end.
boot() {
  local seconds=$1 patience=$2 cpus=$3 megabytes=$4 pid status
  shift 4
  (cd "$tree" && find . -print0 | cpio --null -o -H newc --quiet >"$tmp/initrd") || fail "no first file system can be made"
  truncate -s 64M "$tmp/results" && truncate -s '>16M' "$tmp/disk"
  : >"$tmp/console"
  # One thread for all CPUs: with one thread each, QEMU 7.2 may run an old instruction after the kernel has changed its
  # own code. `quiet` keeps messages in the kernel's log, because the emulated serial line is slow.
  "${emulator[@]}" -accel tcg,thread=single -smp "$cpus" -m "$megabytes" -nographic -no-reboot \
    -kernel "$image" -initrd "$tmp/initrd" -append "${words[*]} quiet oops=panic panic=-1 $*" -nic none \
    -drive "file=$tmp/results,if=none,format=raw,cache=unsafe,id=results" -device virtio-blk-pci,drive=results \
    -drive "file=$tmp/disk,if=none,format=raw,cache=unsafe,id=disk" -device virtio-blk-pci,drive=disk \
    </dev/null >"$tmp/console" 2>&1 &
  pid=$!
  background+=("$pid")
  watch_guest "$pid" "$seconds" "$patience"
  wait "$pid"
  status=$?
  background=()
  mkdir "$tmp/left"
  tar -xf "$tmp/results" -C "$tmp/left" 2>/dev/null
  [[ -e $tmp/left/end ]] && return
  printf 'QEMU ended with %s; the last lines of the console:\n' "$status"
  tail -n 100 "$tmp/console"
  if grep -aq 'vm: init is reached' "$tmp/console"; then return 2; fi
  return 1
}

# watch_guest PID SECONDS PATIENCE
watch_guest() {
  local size last=-1 since=$SECONDS began=$SECONDS
  while kill -0 "$1" 2>/dev/null; do
    size=$(stat -c %s "$tmp/console")
    if ((size != last)); then last=$size since=$SECONDS; fi
    if ((SECONDS - since > $3 || SECONDS - began > $2)); then
      printf 'stopped after %s s, of which the guest was silent for the last %s\n' $((SECONDS - began)) $((SECONDS - since))
      kill "$1"
      return
    fi
    sleep 0.5
  done
}
