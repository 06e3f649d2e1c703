#!/bin/bash
# A return probe puts its own address in the place of a return address on the stack. A stack with many of them is whole:
# each caller is there, and as often as it calls itself. Only the first samples, before the tables, may end earlier.
source "$(dirname "$0")/sampling.bash"
need_command cc
need_command readelf
[[ -r /sys/bus/event_source/devices/uprobe/type ]] || skip "no probes of programs here"
walks_by_tables || skip "stacks cannot be walked by tables here"

cat >"$tmp/probed.c" <<'C'
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile unsigned sink;
__attribute__((noinline)) int leaf(void) {
  for (int i = 0; i < 2000000; ++i) ++sink;
  return 1;
}
__attribute__((noinline)) int probed(int depth) {
  const int sum = depth == 0 ? leaf() : probed(depth - 1);
  ++sink;
  return sum + 1;
}
int main(int count, char **arguments) {
  const char *path = arguments[1];
  struct perf_event_attr attr = {.type = (uint32_t)atoi(arguments[3]), .size = sizeof(attr), .config = 1};
  attr.uprobe_path = (uint64_t)(uintptr_t)path;
  attr.probe_offset = strtoull(arguments[2], NULL, 16);
  if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0) return 3;
  for (;;) sink += probed(20);
}
C
cc -O1 -fno-optimize-sibling-calls -fomit-frame-pointer -o "$tmp/probed" "$tmp/probed.c" || skip "cannot compile"
offset=$(readelf -sW "$tmp/probed" | awk '$8 == "probed" { print $2 }')
start "$tmp/probed" "$tmp/probed" "$offset" "$(</sys/bus/event_source/devices/uprobe/type)"
wait_until is_at_work "$started"
sample -F 499 -U -f -p "$started" 1
kill "$started"
calls=$(printf ';probed%.0s' {0..20})
sum_of() { awk -v pattern="$1" '$0 ~ pattern { sum += $NF } END { print sum + 0 }' "$tmp/out"; }
all=$(sum_of .) rooted=$(sum_of ';main') leaves=$(sum_of ';main.*;leaf ')
((leaves > 50)) || fail "only $leaves samples in the leaf; $(outcome)"
expect_equal "$(sum_of ";main$calls;leaf ")" "$leaves" "samples in the leaf with all callers: $(grep leaf "$tmp/out")"
((rooted * 100 >= all * 95)) || fail "$rooted of $all stacks reach main; $(outcome)"
