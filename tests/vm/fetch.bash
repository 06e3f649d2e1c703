# shellcheck shell=bash
# Unpacks Debian packages of any suite and architecture in a cache. apt runs with its own settings and lists, so nothing
# is installed and the system's lists do not change. Packages that are in the cache need no network.

vm_cache=${PROFILE_VM_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/profile-vm}
vm_fresh_days=7

# Prints the mirror from which this system gets a suite. A suite of another release comes from the same mirror.
mirror_of() {
  local codename suite=main
  codename=$(source /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
  if [[ $1 == *-security ]]; then suite=security codename+=-security; fi
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(ORIGIN)' 2>/dev/null |
    awk -v release="$codename" -v suite=$suite '
      $2 == release { print $1; found = 1; exit }
      $2 "-security" == release { main = $1 }
      END { if (!found && suite == "security" && sub(/debian\/?$/, "debian-security/", main)) print main }'
}

# use_apt SUITE ARCHITECTURE : selects these for apt-get and apt-cache. $apt is the directory.
use_apt() {
  local mirror keys=/usr/share/keyrings/debian-archive-keyring.gpg
  apt=$vm_cache/apt/$1-$2
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" || return
  if [[ ! -e $apt/sources.list ]]; then
    mirror=$(mirror_of "$1")
    [[ $mirror && -e $keys ]] || { echo "this system knows no place of Debian's packages"; return 1; }
    # Copies the system's network settings, but none of its hooks.
    {
      apt-config dump | grep '^Acquire::' | grep -v '^Acquire::Languages'
      printf '%s "%s";\n' Dir::Etc::parts - Dir::Etc::main - Dir::Etc::sourceparts - Dir::Etc::preferencesparts - \
        Dir::Etc::sourcelist "$apt/sources.list" Dir::State "$apt" Dir::State::status "$apt/status" Dir::Cache "$apt/cache" \
        APT::Architecture "$2" APT::Architectures:: "$2" Acquire::Languages none APT::Sandbox::User root \
        APT::Update::Error-Mode any Acquire::Retries 3
    } >"$apt/apt.conf"
    : >"$apt/status"
    printf 'deb [signed-by=%s] %s %s main\n' "$keys" "$mirror" "$1" >"$apt/sources.list"
  fi
  export APT_CONFIG=$apt/apt.conf
}

update_lists() { apt-get -q update && touch "$apt/updated"; }

# newest PATTERN : prints the name and version of the newest package whose whole name matches.
newest() {
  local name
  name=$(apt-cache pkgnames 2>/dev/null | grep -xE -- "$1" | sort -V | tail -n 1)
  [[ $name ]] && apt-cache show --no-all-versions "$name" | awk '/^Package: / { name = $2 } /^Version: / { print name, $2; exit }'
}

# fetch_package SUITE ARCHITECTURE PATTERN : sets $unpacked to the directory with the contents. On failure it says why
# on stderr.
fetch_package() {
  local lock words
  mkdir -p "$vm_cache" || return
  # One process at a time, because rows share the lists and packages.
  exec {lock}>"$vm_cache/.lock"
  flock "$lock"
  words=$(APT_CONFIG='' && fetch_locked "$@" 2>&1)
  local status=$?
  exec {lock}>&-
  unpacked=$(tail -n 1 <<<"$words")
  if ((status != 0)); then printf '%s\n' "no package $3 of $1: $unpacked" >&2; fi
  return $status
}
fetch_locked() {
  local name version fresh=0
  use_apt "$1" "$2" || return
  if [[ ! $(find "$apt/updated" -mtime "-$vm_fresh_days" 2>/dev/null) ]]; then
    # Old lists are good enough when they cannot be renewed.
    update_lists && fresh=1
  fi
  for ((;;)); do
    if read -r name version < <(newest "$3"); then
      place=$vm_cache/packages/${name}_${version}_$2
      if [[ -e $place ]] || unpack "$name" "$2" "$place"; then break; fi
    fi
    # The mirror may not have a package of old lists any more.
    ((!fresh)) && update_lists && fresh=1 || return
  done
  touch "$place"
  find "$vm_cache/packages" -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} +
  printf '%s\n' "$place"
}
unpack() {
  local new=$vm_cache/new
  rm -rf "$new" && mkdir -p "$new/tree" "$vm_cache/packages" || return
  (cd "$new" && apt-get -q download "$1:$2") && dpkg-deb -x "$new"/*.deb "$new/tree" && mv "$new/tree" "$3" && rm -rf "$new"
}
