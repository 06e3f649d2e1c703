# shellcheck shell=bash
# Runs the tests of tests/kernel in a guest: installs what they need, and reports their results.
: "${tree:?}" "${tmp:?}" "${SOURCE_DIR:?}"

# The packages in a guest. A test that needs more is skipped there.
guest_packages=(bash coreutils grep sed mawk findutils diffutils gzip tar util-linux mount procps libc-bin bpftool curl
  binutils 'binutils-*-linux-gnu'
  libcap2-bin xz-utils 'python3*-minimal' 'libpython3*-minimal' 'libpython3*-stdlib' python3-jsonschema python3-attr
  python3-pyrsistent python3-pkg-resources)

is_elf() { [[ $(head -c 4 "$1" 2>/dev/null | tr -d '\0') == $'\x7fELF' ]]; }
# add_packages NAME... : copies the files of installed packages, without documentation, and the libraries that they
# need.
add_packages() {
  local path packages
  mapfile -t packages < <(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^ii *//p')
  while read -r path; do
    if [[ $path == /usr/share/* || -d $path || ! -e $path || -e $tree$path ]]; then continue; fi
    mkdir -p "$tree${path%/*}"
    if [[ ! -L $path ]] && is_elf "$path"; then add_program "$path" "$path"; else cp -a "$path" "$tree$path"; fi
  done < <(dpkg -L "${packages[@]}" | sort -u)
}

# add_kernel_tests PATTERN
add_kernel_tests() {
  add_packages "${guest_packages[@]}"
  ln -sf mawk "$tree/usr/bin/awk"
  # Python compiles these now, because an emulated machine is slow.
  python3 -m compileall -q -s "$tree" "$tree"/usr/lib/python3*/ >/dev/null 2>&1
  mkdir -p "$tree/work/workloads" "$tree/work/source"
  find "$WORKLOADS" -maxdepth 1 -type f \( -perm -u+x -o -name '*.so' \) -exec cp {} "$tree/work/workloads/" \;
  cp -r "$SOURCE_DIR"/{LICENSE,bpf,headers,man,scripts,src,tests} "$tree/work/source/"
  # A test reads there which capabilities the program knew when it was compiled.
  mkdir -p "$tree/usr/include/linux" && cp /usr/include/linux/capability.h "$tree/usr/include/linux/"
  printf '%s\n' "$1" >"$tree/work/pattern"
  { echo '#!/bin/sh' && echo 'exec bash /work/source/tests/vm/guest/tests.sh'; } >"$tree/work/main.sh"
}

# judge_kernel_tests : prints a table of the tests, and the output of those that failed.
judge_kernel_tests() {
  local name status seconds outcome reason
  declare -A count=()
  while read -r name status seconds; do
    reason=''
    case $status in
      0) outcome=passed ;;
      # Of `timeout`.
      124 | 137) outcome=FAILED reason='did not end in time' ;;
      77) outcome=skipped reason=$(grep -m 1 '^skipped: ' "$tmp/left/$name.txt") ;;
      *) outcome=FAILED ;;
    esac
    count[$outcome]=$((${count[$outcome]:-0} + 1))
    printf '%-28s %-8s %4s s %s\n' "$name" "$outcome" "$seconds" "${reason#skipped: }"
    if [[ $outcome == FAILED ]]; then
      # The reason, and the end of the output.
      { grep -m 1 '^FAILED ' "$tmp/left/$name.txt"; tail -n 25 "$tmp/left/$name.txt"; } | uniq | sed 's/^/    /'
    fi
  done <"$tmp/left/tests"
  ((${count[passed]:-0} > 0)) || wrong "no test has passed"
  if ((${count[FAILED]:-0} > 0)); then wrong "${count[FAILED]} of ${count[passed]:-0} + ${count[FAILED]} tests have failed"; fi
}
