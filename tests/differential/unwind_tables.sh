#!/bin/bash
# The unwind tables agree with libdw at every address of a file's code. Arguments: other files; with --all, every file
# on this machine (takes minutes).
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
# The libraries of bash (with the dynamic linker) and of the profiler (with the C++ library).
mapfile -t libraries < <(ldd /bin/bash "$PROFILE" | grep -o '/[^ ]*\.so[^ ]*' | sort -u)
files+=("${libraries[@]}")
run "$compare" "${files[@]}"
expect_status 0
expect_out 'compared, 0 wrong'
