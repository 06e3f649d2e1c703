# shellcheck shell=bash
# For tests that build their own programs: files with the same addresses and other contents, stripped files, inlining.
source "$(dirname "${BASH_SOURCE[0]}")/sampling.bash"
need_command gcc

# build TARGET SOURCE [OPTION...] : builds one C file with frame pointers, and without inlining and tail calls.
build() {
  gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-inline -I"$SOURCE_DIR/tests/workloads" -o "$1" "$2" \
    "${@:3}" || fail "gcc cannot build $1"
}
# build_leaves TARGET PREFIX [OPTION...] : workloads/leaves.c with PREFIX before the names of its leaves: the same code
# at the same addresses, under other names.
build_leaves() { build "$1" "$SOURCE_DIR/tests/workloads/leaves.c" "-Dheavy=$2heavy" "-Dlight=$2light" "${@:3}"; }
