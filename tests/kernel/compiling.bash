# shellcheck shell=bash
# For the tests whose programs are built while they run: files with the same place and other contents, stripped ones, inlining.
source "$(dirname "${BASH_SOURCE[0]}")/sampling.bash"
need_command gcc

# build TARGET SOURCE [OPTION...] : a program of one C file, with frame pointers, whose calls are all calls.
build() {
  gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-inline -I"$SOURCE_DIR/tests/workloads" -o "$1" "$2" \
    "${@:3}" || fail "gcc cannot build $1"
}
# build_leaves TARGET PREFIX [OPTION...] : workloads/leaves.c with PREFIX in front of its leaves' names: the same code at the
# same addresses, and other names of it.
build_leaves() { build "$1" "$SOURCE_DIR/tests/workloads/leaves.c" "-Dheavy=$2heavy" "-Dlight=$2light" "${@:3}"; }
