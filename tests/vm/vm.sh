#!/bin/bash
# vm.sh ROW: boots the kernel of that row of the table `kernels` in QEMU and checks what the profiler does there. It
# tries every event of --list-events, with a workload whose true counts are known.
# vm.sh ROW tests [PATTERN]: runs the tests of tests/kernel there, or those whose names match the regular expression.
# Promise 9: the profiler runs on the kernels of the table `kernels`.
source "$(dirname "$0")/../lib.sh"
row=$1 task=${2:-probes} chosen=${3:-}
# shellcheck disable=SC2034 # of skip
test_name=vm.$row
if [[ $task == tests ]]; then test_name=guest.$row; fi
here=$SOURCE_DIR/tests/vm
tree=$tmp/tree
source "$here/fetch.bash"
source "$here/cross.bash"
source "$here/guest.bash"

# A missing tool or package is a failure on Debian 12, where all are available. Elsewhere the test is skipped.
cannot() {
  if is_debian_12; then fail "$*"; fi
  skip "$*"
}

read -r _ _ architecture suite packages words machine < <(awk -v row="$row" '$1 == "row" && $2 == row' "$here/kernels")
[[ ${machine:-} ]] || fail "the table of kernels has no row $row"
# A probe ends after 100 s at the latest, a test after 1200.
cpus=1 megabytes=1536 seconds=1000 patience=120 is_portable=''
kernel_words=()
if [[ $words != - ]]; then kernel_words=("${words//,/ }"); fi
for setting in ${machine//,/ }; do
  case $setting in
    cpus=*) cpus=${setting#*=} ;;
    memory=*) megabytes=${setting#*=} ;;
    hide=* | sysctl=*) kernel_words+=("vm.$setting") ;;
    portable) is_portable=1 ;;
    -) ;;
    *) fail "$row: unknown setting $setting" ;;
  esac
done
source "$here/judge.bash"

if [[ $task == tests && $architecture != amd64 ]]; then skip "the tests of tests/kernel are for amd64 here"; fi
use_architecture "$architecture"
for command in "${emulator[0]}" busybox cpio readelf llvm-strip xz zstd apt-get dpkg-deb; do
  command -v "$command" >/dev/null || cannot "there is no $command here"
done
kernel_parts=()
for pattern in ${packages//,/ }; do
  fetch_package "$suite" "$architecture" "$pattern" 2>"$tmp/err" || cannot "$(tail -n 1 "$tmp/err")"
  # shellcheck disable=SC2154 # set by fetch_package
  kernel_parts+=("$unpacked")
done

make_tree busybody frameless rivals
install -m 755 "$here/guest/init.sh" "$tree/init"
if [[ $task == tests ]]; then
  source "$here/kernel_tests.bash"
  add_kernel_tests "$chosen"
  seconds=14000 patience=1300
else
  # shellcheck disable=SC2154 # set by judge.bash
  echo "$rounds" >"$tree/work/rounds"
  cp "$here/guest/probes.sh" "$tree/work/main.sh"
  # On amd64 the tests of tests/kernel show functions of scripts.
  if [[ $architecture == arm64 ]]; then add_python; fi
  if [[ $is_portable ]]; then
    source "$SOURCE_DIR/tests/scripts/portable.bash"
    make_tarball
    unpack_into "$tree/opt/profile"
  fi
fi
add_kernel "${kernel_parts[@]}"
boot "$seconds" "$patience" "$cpus" "$megabytes" "${kernel_words[@]}"
case $? in
  0) ;;
  2) fail "Linux of the row $row boots, and does not get to its end" ;;
  *) cannot "Linux of the row $row cannot be booted" ;;
esac
# The results of a test that passed also stay.
mkdir -p "$BUILD_DIR/vm"
judge "$task" | tee "$BUILD_DIR/vm/$test_name"
exit "${PIPESTATUS[0]}"
