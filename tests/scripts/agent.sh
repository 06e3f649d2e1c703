#!/bin/bash
# The package on a fresh system that systemd runs, in a guest: an administrator installs it and starts the agent with
# the lines of the manual, and the unit keeps what it promises until the package is purged. agent.sh RELEASE takes
# another release of Debian than bookworm.
source "$(dirname "$0")/../lib.sh"
need_root
is_debian_12 || skip "this is not Debian 12"
need_command busybox cpio mke2fs qemu-system-x86_64 llvm-strip xz zstd
source "$(dirname "$0")/deb.bash"
source "$SOURCE_DIR/tests/kernel/releases.bash"
here=$SOURCE_DIR/tests/vm
tree=$tmp/tree
source "$here/fetch.bash"
source "$here/guest.bash"
release=${1:-bookworm}

# The lines that an administrator types.
sed -n '/^\.Sh AGENT$/,/^\.Sh /{/^\.Bd/,/^\.Ed/p}' "$SOURCE_DIR/man/profile.8" | sed '/^\.Ed/q' | grep -v '^\.' >"$tmp/lines"
(($(wc -l <"$tmp/lines") == 5)) || fail "the manual has other lines than this test knows"

# --- The fresh system ------------------------------------------------------------------------------------------------
make_package
# The guest has no network, so the tree has what the package depends on; scripts.package installs that with it.
# shellcheck disable=SC2154 # set by make_package
mapfile -t needs < <(dpkg-deb -f "$package" Depends Recommends | tr ',' '\n' | sed -E 's/^[A-Z][a-z]*: //; s/^ *//; s/[ :|].*//')
tree_of "$release" systemd systemd-sysv dbus python3 procps "${needs[@]}"
truncate -s 2G "$tmp/disk"
# shellcheck disable=SC2154 # set by releases.bash
mke2fs -q -t ext4 -d "$trees/$release" "$tmp/disk" >"$tmp/out" 2>&1 || fail "no disk can be made of $release"

# --- The guest -------------------------------------------------------------------------------------------------------
use_architecture amd64
fetch_package bookworm-security amd64 'linux-image-6\.1\.0-[0-9]+-cloud-amd64' 2>"$tmp/err" || fail "$(tail -n 1 "$tmp/err")"
mkdir -p "$tree"/{bin,work/bin}
# shellcheck disable=SC2154 # set by use_architecture
cp "$busybox" "$tree/bin/busybox"
ln -s busybox "$tree/bin/sh"
install -m 755 "$here/guest/system.sh" "$tree/init"
install -m 755 "$here/guest/agent.sh" "$tree/work/main.sh"
cp "$package" "$WORKLOADS/frameless" "$SOURCE_DIR/tests/tools/push_receiver.py" "$tmp/lines" "$tree/work/"
# shellcheck disable=SC2154 # set by fetch_package
add_kernel "$unpacked"
boot 1500 240 2 1536 systemd.mask=getty.target systemd.show_status=0
status=$?
mkdir -p "$BUILD_DIR/vm" && cp -r "$tmp/left/." "$BUILD_DIR/vm/scripts.agent"
((status == 0)) || fail "the guest did not get to its end"
cat "$tmp/left/checks"
if grep -q '^WRONG' "$tmp/left/checks"; then
  tail -n 60 "$tmp/left/journal"
  fail "$(grep -c '^WRONG' "$tmp/left/checks") things are wrong"
fi
