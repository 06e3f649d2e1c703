#!/bin/bash
# While somebody else's probe is in a function, each of its threads runs a copy of the probed instruction elsewhere. What
# is sampled there belongs to the function.
source "$(dirname "$0")/sampling.bash"
need_command cc

# An instruction of a kind that the kernel does not do itself.
cat >"$tmp/probed.c" <<'C'
#ifdef __x86_64__
#define INSTRUCTION "mov $1, %eax\n ret\n"
#else
#define INSTRUCTION "add x0, x0, #1\n ret\n"
#endif
__asm__(".text\n.globl probed\n.type probed, @function\nprobed:\n.cfi_startproc\n" INSTRUCTION
        ".cfi_endproc\n.size probed, . - probed\n");
long probed(long);
int main(void) {
  long sum = 0;
  for (;;) sum += probed(sum);
}
C
cc -O2 -o "$tmp/probed" "$tmp/probed.c" || skip "cannot compile"
start "$tmp/probed"
begin_counted -e "uprobe:$tmp/probed:probed" -c 1000 600
other=$profiler
"$PROFILE" -F 999 -U -f -p "$started" 1 >"$tmp/sampled" 2>"$tmp/told" || fail "the second run"
profiler=$other
kill -INT "$profiler"
finish
kill "$started"
sum_of() { awk -v pattern="$1" '$0 ~ pattern { sum += $NF } END { print sum + 0 }' "$tmp/sampled"; }
all=$(sum_of .)
((all > 100)) || fail "only $all samples"
expect_equal "$(sum_of ';main(;probed)? [0-9]+$')" "$all" "samples whose stacks are whole: $(cat "$tmp/sampled" "$tmp/told")"
