#!/bin/bash
# Programs that map the inputs which fuzzing has found, and damaged copies of them. A run beside them ends well, and all
# other programs have their names.
source "$(dirname "$0")/sampling.bash"
need_command python3

# The seed of elf_symbols_fuzz is C source, so this test compiles it where a compiler exists.
functions=()
if command -v cc >/dev/null; then
  functions=("$tmp/functions" "$tmp/functions-stripped")
  for made in "${functions[@]}"; do
    cc -O1 -fPIC -shared -nostdlib -Wl,--build-id -o "$made" "$SOURCE_DIR/tests/fuzz/corpus/elf_symbols_fuzz/functions.c" ||
      fail "functions.c does not compile"
  done
  strip "${functions[1]}" || fail "strip"
  # Names as MiniDebugInfo: an ELF file, packed by xz, in a section.
  if command -v xz >/dev/null; then
    xz -k "${functions[0]}" && objcopy --add-section ".gnu_debugdata=${functions[0]}.xz" "${functions[1]}" "$tmp/functions-mini" ||
      fail "objcopy"
    functions+=("$tmp/functions-mini")
  fi
fi

# Five damaged copies of each file, the same in every run: two hundred hostile files at once.
mkdir "$tmp/files"
python3 - "$tmp/files" "$SOURCE_DIR"/tests/fuzz/corpus/{dwarf_lines,dynamic_sections,plt_symbols,debug_link,seekable_zlib,unwind_tables}_fuzz/* \
  "${functions[@]}" "$WORKLOADS"/{leaves,mangled,leaves.static} <<'END'
import os, random, sys
random.seed(14)
for path in sys.argv[2:]:
    content = open(path, "rb").read()
    for copy in range(6):
        damaged = bytearray(content)
        for _ in range(copy * 8):
            # In the headers, at the end of the file, or anywhere.
            at = random.choice([random.randrange(min(len(damaged), 128)), random.randrange(len(damaged)),
                                len(damaged) - 1 - random.randrange(min(len(damaged), 2048))])
            damaged[at] = random.choice([0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)])
        name = os.path.basename(os.path.dirname(path)) + "-" + os.path.basename(path) + f".{copy}"
        open(os.path.join(sys.argv[1], name), "wb").write(damaged)
END
expect_between "$(find "$tmp/files" -type f | wc -l)" 180 1000 "damaged files"
# expect_soon MICROSECONDS : the time since $began_us. hostile_code_measured.sh sets `measured`; without it nothing is
# checked.
expect_soon() {
  [[ ! ${measured:-} ]] || expect_between $((${EPOCHREALTIME/./} - began_us)) 0 "$1" "microseconds of a run of about a second"
}
# sample_both [ARGUMENT...] : samples `leaves` and $started until both have computed.
sample_both() {
  begin -o - -o "$tmp/both.folded" -p "$leaves,$started" "$@"
  wait_until has_begun
  let_work "$leaves" 30
  let_work "$started" 30
  kill -INT "$profiler"
  finish
  mv "$tmp/both.folded" "$tmp/out"
  expect_status 0
  expect_balance
  expect_folded_total
}
burn leaves 600
leaves=$started
burn impostor "$tmp"/files/* 600
impostor=$started
wait_until grep -q '^mapped' "$tmp/started"
began_us=${EPOCHREALTIME/./}
sample_both --lines -F 999
expect_present '^leaves;(.*;)?main:?.*;outer.*;middle.*;heavy'
expect_present '^impostor;.*;run_made'
expect_soon $((6000000 * slowness * (1 + 9 * SANITIZED)))
# A damaged file loses none of the samples.
sample_work "$impostor" 40 -F 999
expect_share '^impostor;(.*;)?main;run_made' 85 100

# An endless name makes the profiler show that file's names as the file spells them. It costs far less than the 20 s of
# CPU time that a file may take, and only once for each file.
burn endless_name 600
began_us=${EPOCHREALTIME/./}
sample_both -F 999
expect_present '^leaves;(.*;)?main;outer;middle;heavy'
expect_present '^endless_name;(.*;)?main;_ZN1acvT_'
expect_absent '\[endless_name\+'
expect_err 'names of 1 file are as the file spells them'
expect_soon $((15000000 * slowness))
