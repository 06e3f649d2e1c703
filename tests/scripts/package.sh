#!/bin/bash
# The Debian package that cpack makes can be installed on a fresh system with its dependencies, profiles there, and
# leaves nothing behind when it is removed.
source "$(dirname "$0")/../lib.sh"

# This part mounts file systems, in its own mount namespace and on directories of the caller, so that cleaning up never
# meets the mounts.
on_a_fresh_system() {
  local package=$1 tree=$2 system=$3 layer=$4 version
  version=$("$PROFILE" --version | sed 's/^profile //')
  mount -t tmpfs none "$layer" || fail "no tmpfs"
  mkdir "$layer/upper" "$layer/work"
  if ! mount -t overlay overlay -o "lowerdir=$tree,upperdir=$layer/upper,workdir=$layer/work" "$system"; then
    mount -t tmpfs none "$system" || fail "no tmpfs"
    cp -a "$tree/." "$system" || fail "no copy of $tree"
  fi
  # New mounts, without the other mounts below those of this system.
  mount -t proc none "$system/proc" || fail "no /proc"
  mount -t sysfs none "$system/sys" || fail "no /sys"
  cp -L /etc/resolv.conf "$system/etc/"
  cp "$package" "$system/profile.deb"
  inside() { run chroot "$system" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
  files() { (cd "$system" && find . \( -path ./proc -o -path ./sys \) -prune -o ! -type d -print | sort); }
  # The package cache is kept for later runs.
  mkdir -p "$tree.packages"
  mount --bind "$tree.packages" "$system/var/cache/apt/archives" || fail "no package cache"

  inside apt-get -q update
  ((status == 0)) || skip "Debian's package lists cannot be fetched here (no network?): $(tail -n 1 "$tmp/err")"
  files >"$tmp/before"
  inside apt-get -q -y install /profile.deb
  expect_status 0

  inside profile --version
  expect_status 0
  expect_out "^profile $version\$"
  inside sh -c 'gzip -dc /usr/share/man/man8/profile.8.gz | head -n 20'
  expect_out 'profile'
  inside bash -c 'source /usr/share/bash-completion/completions/profile && complete -p profile'
  expect_status 0
  if [[ -r /sys/kernel/btf/vmlinux ]] && PATH=$PATH:/usr/sbin bpftool prog show >/dev/null 2>&1; then
    inside profile -f -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
    expect_status 0
    (($(folded_total) > 5)) || fail "the installed program samples nothing; $(outcome)"
    # A picture, with the font that was installed with the package.
    inside profile -q -o /tmp/out.png 1
    expect_status 0
    expect_equal "$(head -c 4 "$system/tmp/out.png" | tail -c 3)" PNG "the picture"
    rm "$system/tmp/out.png"
  fi

  inside apt-get -q -y purge profile
  expect_status 0
  files >"$tmp/after"
  # A new file must belong to another package or to the package manager's own records.
  comm -13 "$tmp/before" "$tmp/after" | grep -Ev '^\./(var/(cache|log|lib)/|etc/(ld\.so\.cache|mailcap))' |
    sed 's/^\.//; s,^/usr/lib,/lib,' | sort >"$tmp/new"
  cat "$system"/var/lib/dpkg/info/*.list | sed 's,^/usr/lib,/lib,' | sort -u >"$tmp/owned"
  # fontconfig and ca-certificates, which it depends on, make files when they are set up.
  comm -23 "$tmp/new" "$tmp/owned" |
    grep -v '^/etc/fonts/\|^/lib/.*/\.uuid$\|^/etc/ca-certificates\.conf$\|^/etc/ssl/certs/' >"$tmp/left"
  expect_equal "$(cat "$tmp/left")" "" "files left behind"
  if comm -13 "$tmp/before" "$tmp/after" | grep -E '/_?profile(\.|$)|/profile/'; then fail "these files were left behind"; fi
  inside dpkg -s profile
  ((status != 0)) || fail "it is still installed"
}
if [[ ${1:-} == --inside ]]; then
  on_a_fresh_system "${@:2}"
  exit 0
fi
need_root
need_command debootstrap chroot
source "$(dirname "$0")/deb.bash"
is_debian_12 || skip "this is not Debian 12"
make_package

# --- What is in it ---------------------------------------------------------------------------------------------------
field() { dpkg-deb -f "$package" "$1"; }
version=$("$PROFILE" --version | sed 's/^profile //')
expect_equal "$(basename "$package")" "profile_$version-1_$(dpkg --print-architecture).deb" "name of the package"
for library in libc6 libstdc++6 libbpf1 libelf1; do
  grep -q "\b$library\b" <(field Depends) || fail "it does not depend on $library: $(field Depends)"
done
grep -q fonts-dejavu-core <(field Recommends) || fail "it recommends no font"
expect_equal "$(field Section) $(field Priority)" "utils optional" "section and priority"
(($(field Description | wc -l) >= 4)) || fail "the description is short"
dpkg-deb -c "$package" >"$tmp/contents"
for path in usr/sbin/profile usr/share/man/man8/profile.8.gz usr/share/profile/profile.schema.json \
  usr/share/profile/profile-agent.conf usr/lib/systemd/system/profile-agent.service \
  usr/share/bash-completion/completions/profile usr/share/zsh/vendor-completions/_profile \
  usr/share/doc/profile/{copyright,changelog.Debian.gz,README.md}; do
  grep -q " \./$path\$" "$tmp/contents" || fail "there is no $path in it"
done
expect_equal "$(awk '$2 != "root/root" || $1 !~ /^(drwxr-xr-x|-rw-r--r--)$/ { print $1, $2, $6 }' "$tmp/contents")" \
  "-rwxr-xr-x root/root ./usr/sbin/profile" "files that are not root's or have other permissions"
if command -v lintian >/dev/null; then
  run lintian --allow-root --fail-on error "$package"
  expect_status 0
fi

# --- On a fresh system -----------------------------------------------------------------------------------------------
# The system is made once per build directory; each run works in its own layer on top.
tree=$BUILD_DIR/bookworm
mkdir "$tmp/system" "$tmp/layer"
unshare --mount true 2>/dev/null || skip "no mount namespace can be made here"
own_mounts=(unshare --mount --propagation private)
if [[ ! -e $tree/complete ]]; then
  rm -rf --one-file-system "$tree"
  run "${own_mounts[@]}" debootstrap --variant=minbase bookworm "$tree"
  ((status == 0)) || skip "no fresh Debian system can be had here (no network?): $(tail -n 1 "$tmp/out")"
  touch "$tree/complete"
fi
"${own_mounts[@]}" bash "$0" --inside "$package" "$tree" "$tmp/system" "$tmp/layer"
exit $?
