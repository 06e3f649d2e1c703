#!/bin/bash
# The tables by which stacks are walked say of every place in a file's code what libdw says. Arguments: other files; with
# --all, every file of this machine's file systems (minutes).
source "$(dirname "$0")/../lib.sh"
compare=$BUILD_DIR/tests/unwind_compare
[[ -x $compare ]] || skip "built without libdw"

if [[ ${1-} == --all ]]; then
  find / \( -fstype proc -o -fstype sysfs \) -prune -o -type f -size +1k -print0 | xargs -0 "$compare"
  exit
elif (($# != 0)); then
  exec "$compare" "$@"
fi

files=("$PROFILE" "$(readlink -f /bin/bash)")
for name in python3 perl; do
  if path=$(type -P "$name"); then files+=("$(readlink -f "$path")"); fi
done
# What bash is linked to, the dynamic linker among it, and the C++ library.
mapfile -t libraries < <(ldd /bin/bash "$PROFILE" | grep -o '/[^ ]*\.so[^ ]*' | sort -u)
files+=("${libraries[@]}")
run "$compare" "${files[@]}"
expect_status 0
expect_out 'compared, 0 wrong'
