/* The source `cpu-clock`: runs on every tick of a perf event and records the current task. Built twice, see
 * PROFILE_LEAN in record.bpf.h. */
#include "record.bpf.h"
#ifndef PROFILE_LEAN
#include "follow.bpf.h"
#endif

SEC("perf_event")
int on_sample(void *ctx) { return record(ctx, 1); }

char LICENSE[] SEC("license") = "Dual BSD/GPL";
