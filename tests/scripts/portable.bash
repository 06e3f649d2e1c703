# shellcheck shell=bash
# Makes the portable directory, and runs it in a file system of its own. Sourced after lib.sh.
: "${tmp:?}" "${PROFILE:?}" "${BUILD_DIR:?}" "${SOURCE_DIR:?}"

# make_tarball : sets $tarball.
make_tarball() {
  run cpack -G TGZ --config "$BUILD_DIR/CPackConfig.cmake" -B "$tmp/made"
  expect_status 0
  tarball=$(echo "$tmp"/made/*.tar.gz)
  [[ -s $tarball ]] || fail "cpack made no tarball; $(outcome)"
}

# unpack_into DIRECTORY
unpack_into() {
  mkdir -p "$1" && tar -C "$1" --strip-components=1 -xzf "$tarball" || fail "the tarball cannot be unpacked"
}

# add_shell SYSTEM : adds everything that the directory needs from a system: busybox, which needs no library.
add_shell() {
  local name
  mkdir -p "$1/bin"
  cp "$(command -v busybox)" "$1/bin/busybox"
  for name in sh dirname readlink env; do ln -s busybox "$1/bin/$name"; done
}
need_static_busybox() {
  need_command busybox file
  file -L "$(command -v busybox)" | grep -q 'statically linked' || skip "busybox is not static here"
}

# mount_kernel SYSTEM : new mounts, without the other mounts below those of this machine.
mount_kernel() {
  mkdir -p "$1"/{proc,sys,tmp,dev}
  mount -t proc none "$1/proc" || fail "no /proc"
  mount -t sysfs none "$1/sys" || fail "no /sys"
  mount -t tracefs none "$1/sys/kernel/tracing" 2>/dev/null
  [[ -e $1/dev/null ]] || mknod "$1/dev/null" c 1 3
}

can_sample() { [[ -r /sys/kernel/btf/vmlinux ]] && PATH=$PATH:/usr/sbin bpftool prog show >/dev/null 2>&1; }

# inside SYSTEM COMMAND... : runs the command there, as `run` does.
inside() { run chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=xterm HOME=/tmp "${@:2}"; }

# has_all_parts SYSTEM PROGRAM : the program starts there, samples, and finds its parts: the page, the picture without a
# font, the live page, the screen.
has_all_parts() {
  local system=$1 program=$2
  inside "$system" "$program" --version
  expect_status 0
  expect_out "^profile $("$PROFILE" --version | sed 's/^profile //')\$"
  can_sample || return 0
  # shellcheck disable=SC2016
  inside "$system" "$program" -F 999 -f -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
  expect_status 0
  (($(folded_total) > 5)) || fail "it samples nothing; $(outcome)"
  inside "$system" "$program" -q -o /tmp/a.html -o /tmp/a.pb.gz -o /tmp/a.png 0.2
  expect_status 0
  [[ -s $system/tmp/a.html ]] || fail "no page"
  expect_equal "$(head -c 4 "$system/tmp/a.png" | tail -c 3)" PNG "the picture"
  inside "$system" "$program" report -f /tmp/a.pb.gz
  expect_status 0
  inside "$system" "$program" -T -R 0 0.2
  expect_status 0
  expect_err 'http://127\.0\.0\.1:[0-9]+/'
  # What is left on the screen does not tell: the summary covers the lowest line as far as it reaches.
  run env TERM=xterm python3 "$SOURCE_DIR/tests/tools/terminal.py" --raw "$tmp/top" chroot "$system" "$program" 0.5 --top
  expect_status 0
  grep -q 'filter' "$tmp/top" || fail "the terminal view was not drawn; $(outcome)"
}
