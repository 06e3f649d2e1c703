#!/bin/bash
# Checks what other kernels require of the BPF objects, and what no test on this kernel can see. 5.10 refuses a constant
# without a name, which gives the types a section without variables, and what check_bpf_limits.py looks for. From 6.13 on,
# a probe program without a tail call gets one stack per CPU, which the next task on that CPU may overwrite.
source "$(dirname "$0")/../lib.sh"
need_command bpftool
need_command readelf
need_command llvm-objdump
need_command python3

objects=("$BUILD_DIR"/bpf/*.bpf.o)
[[ -e ${objects[0]} ]] || fail "there are no BPF objects in $BUILD_DIR/bpf"
probes=0
for object in "${objects[@]}"; do
  name=${object##*/}
  bpftool btf dump file "$object" >"$tmp/types" || fail "the types of $name cannot be read"
  if grep -q 'DATASEC .* vlen=0' "$tmp/types"; then fail "$name holds a constant without a name"; fi
  llvm-objdump -dr "$object" | python3 "$SOURCE_DIR/tests/tools/check_bpf_limits.py" >"$tmp/limits" ||
    fail "$name: $(grep WRONG "$tmp/limits")"
  readelf -SW "$object" >"$tmp/sections"
  grep -qE ' u(ret)?probe +PROGBITS' "$tmp/sections" || continue
  llvm-objdump -d --no-show-raw-insn --section=uprobe --section=uretprobe "$object" >"$tmp/code"
  # Prints each program, and whether it calls the helper with that number.
  awk '
    /^[0-9a-f]+ <[a-z_0-9]+>:$/ { name = substr($2, 2, length($2) - 3); programs[name] = 0 }
    /call (12|0xc)$/ { programs[name] = 1 }
    END { for (name in programs) print name, programs[name] }' "$tmp/code" >"$tmp/programs"
  while read -r program calls; do
    probes=$((probes + 1))
    ((calls == 1)) || fail "$name: $program does not say keep_stack_of_task()"
  done <"$tmp/programs"
done
((probes >= 7)) || fail "only $probes programs on probes were found"
