#!/bin/bash
# Code that is in no file also has names: the functions of the vDSO, and BPF programs.
source "$(dirname "$0")/sampling.bash"
PATH=$PATH:/usr/sbin

burn clock_reader 600
wait_until is_at_work "$started"
sample_enough 100 -F 999 -U --modules -p "$started" 0.5
expect_share ';(__vdso_|__kernel_)?clock_gettime \[vdso\]' 20 100
expect_absent '\[vdso\+0x'
kill "$started"
burn clock_reader.static 600
wait_until is_at_work "$started"
sample_enough 100 -F 999 -U --modules -p "$started" 0.5
expect_share ';(__vdso_|__kernel_)?clock_gettime \[vdso\]' 20 100

need_command clang bpftool python3
cat >"$tmp/burner.c" <<'C'
__attribute__((section("socket"), used)) int test_burner(void* context) {
  (void)context;
  volatile unsigned long product = 1;
  for (int turn = 0; turn < 1000; turn++) product = product * 3 + 1;
  return 0;
}
C
clang -O2 -target bpf -c -o "$tmp/burner.o" "$tmp/burner.c" || fail "clang cannot build a BPF program"
mount_bpffs
bpftool prog load "$tmp/burner.o" "$tmp/bpffs/burner" type socket || fail "bpftool cannot load a BPF program"
head -c 64 /dev/zero >"$tmp/packet"
# The kernel ends a run of the program when its process is stopped, so it is run again and again. The name is its own
# one, because other tests may run bpftool, too.
cp "$(command -v bpftool)" "$tmp/bpf_burner" || fail "cannot copy bpftool"
# shellcheck disable=SC2016
start bash -c 'while :; do setpriv --pdeathsig KILL "$@"; done' bash "$tmp/bpf_burner" \
  prog run pinned "$tmp/bpffs/burner" data_in "$tmp/packet" repeat 2000000
sample_enough 100 -F 499 --modules --comm bpf_burner 0.5
expect_share ';bpf_prog_[0-9a-f]+_test_burner \[bpf\]' 50 100
sought=('^    bpf_prog_[0-9a-f]+_test_burner\+0x[0-9a-f]+ \[bpf\]$')
sample_until is_seen -F 499 --comm bpf_burner 0.3
