# shellcheck shell=bash
# Other releases of Debian, in trees of their own as containers have them, for the tests of what they bring. A new tree
# takes a minute.
need_command debootstrap
trees=${XDG_CACHE_HOME:-$HOME/.cache}/profile-tests/releases
mkdir -p "$trees" || skip "cannot write to $trees"

# tree_of RELEASE PACKAGE... : makes the tree unless it is there, with these packages.
tree_of() {
  local new=$trees/new-$1 tree=$trees/$1 packages=("${@:2}")
  if [[ ! -e $tree ]]; then
    rm -rf --one-file-system "$new"
    debootstrap --variant=minbase "$1" "$new" http://deb.debian.org/debian >"$tmp/debootstrap" 2>&1 ||
      skip "no tree of $1: $(tail -n 1 "$tmp/debootstrap")"
    mv "$new" "$tree"
  fi
  if chroot "$tree" dpkg-query -W "${packages[@]}" >/dev/null 2>&1; then return; fi
  cp /etc/resolv.conf "$tree/etc/resolv.conf"
  chroot "$tree" sh -c 'apt-get -q update && apt-get -qy --no-install-recommends install "$@"' sh "${packages[@]}" \
    >"$tmp/installed" 2>&1 || skip "$1 has no ${packages[*]}: $(tail -n 1 "$tmp/installed")"
}
