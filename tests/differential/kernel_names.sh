#!/bin/bash
# The kernel's answer for an address equals its list of names: for sampled kernel addresses, for addresses all over the
# kernel's code, for modules, and for BPF programs.
source "$(dirname "$0")/../kernel/sampling.bash"
need_command python3
PATH=$PATH:/usr/sbin
compare=$BUILD_DIR/tests/kernel_names_compare

# compare_all FILE : compares the addresses in the file, one per line.
compare_all() {
  "$compare" <"$1" >"$tmp/out" 2>"$tmp/err"
  status=$?
  ((status != 77)) || skip "this kernel cannot be asked for names"
  expect_status 0
  expect_out ', 0 wrong$'
}

burn reader 600
wait_until is_at_work "$started"
burn calls 600
sampled() {
  profile -A -K -F 999 1 && grep -oE '^    0x[0-9a-f]{16}' "$tmp/out" | sort -u >"$tmp/sampled"
  (($(wc -l <"$tmp/sampled") >= 50))
}
wait_until sampled
compare_all "$tmp/sampled"
# BPF programs of other processes may have ended in the meantime.
[[ $(<"$tmp/out") =~ ([0-9]+)\ addresses,\ ([0-9]+)\ unknown ]] || fail "no count; $(outcome)"
((BASH_REMATCH[2] * 10 < BASH_REMATCH[1])) || fail "the kernel does not know its own code; $(outcome)"

# Takes every ninth function: its first byte, a byte inside, and a byte shortly after the start of the function listed
# before.
python3 - >"$tmp/listed" <<'PYTHON'
last = 0
for number, line in enumerate(open("/proc/kallsyms")):
    address, kind, name = line.split(maxsplit=2)
    address = int(address, 16)
    if kind in "tTwW" and (number % 9 == 0 or "[" in name):
        print(f"{address:x}\n{address + 3:x}\n{last + 1:x}")
        last = address
    if name.strip() in ("_etext", "_einittext"):
        break
PYTHON
compare_all "$tmp/listed"

if type -P bpftool clang >/dev/null; then
  printf '%s\n' '__attribute__((section("socket"), used)) int test_named(void *context) { return context != 0; }' >"$tmp/named.c"
  clang -O2 -target bpf -c -o "$tmp/named.o" "$tmp/named.c" || fail "clang cannot build a BPF program"
  mount_bpffs
  bpftool prog load "$tmp/named.o" "$tmp/bpffs/named" type socket || fail "bpftool cannot load a BPF program"
  grep -E '^[0-9a-f]+ . bpf_prog_[0-9a-f]{16}_test_named' /proc/kallsyms | cut -d ' ' -f 1 >"$tmp/bpf"
  if [[ -s $tmp/bpf ]]; then
    compare_all "$tmp/bpf"
    expect_out '^1 addresses, 0 unknown'
  fi
fi
