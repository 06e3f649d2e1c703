# shellcheck shell=bash
# Makes a checkout of the scripts alone for the tests of scripts/run, with a fake cmake, apt-get and dpkg-query, so that
# nothing is built or installed. The program they "build" prints its arguments and exits with 9.
source "$(dirname "$0")/../lib.sh"

# put COMMAND : makes $tmp/bin/COMMAND from the script on stdin.
put() {
  { echo '#!/bin/bash' && cat; } >"$tmp/bin/$1"
  chmod +x "$tmp/bin/$1"
}

make_checkout() {
  mkdir -p "$1" "$tmp/bin"
  chmod 755 "$tmp"
  cp -R "$SOURCE_DIR/scripts" "$1/"
  script=$1/scripts/run
  PATH=$tmp/bin:$PATH
  export RECORDS=$tmp
  put cmake <<'SCRIPT'
echo "cmake talks on stdout" && echo "$*" >>"$RECORDS/cmake.calls"
if [[ ${CMAKE_FAILS:-} == "$1" ]]; then exit 1; fi
while (($# != 0)); do
  case $1 in
    -S) tree=$2 ;;
    -B) build=$2 ;;
    --build) exit 0 ;;
  esac
  shift
done
printf 'CMAKE_HOME_DIRECTORY:INTERNAL=%s\nCMAKE_CACHEFILE_DIR:INTERNAL=%s\n' "$tree" "$build" >"$build/CMakeCache.txt"
touch "$build/build.ninja"
cat >"$build/profile" <<'PROGRAM'
#!/bin/bash
if [[ ${1:-} == --read-stdin ]]; then exec cat; fi
if (($# != 0)); then printf '[%s]\n' "$@"; fi
exit 9
PROGRAM
chmod +x "$build/profile"
SCRIPT
  # All packages are installed, except those in MISSING.
  put dpkg-query <<'SCRIPT'
for package in "${@:4}"; do
  if [[ " ${MISSING:-} " != *" $package "* ]]; then echo "$package ii "; fi
done
SCRIPT
  put apt-get <<'SCRIPT'
echo "apt-get talks on stdout"
while [[ $1 == -* ]]; do if [[ $1 == -o ]]; then shift; fi; shift; done
if [[ ${APT_FAILS:-} ]]; then exit 100; fi
echo "$*" >>"$RECORDS/apt.calls"
if [[ ${APT_IS_STALE:-} && $1 == install ]] && ! grep -q update "$RECORDS/apt.calls"; then exit 100; fi
SCRIPT
}

run_script() { run "$script" "$@"; }
