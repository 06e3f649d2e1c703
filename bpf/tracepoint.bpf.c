/* The source SYSTEM:EVENT. The program runs at every hit of a tracepoint, on every CPU. It records the current task
 * each time, or as often as the user asked for. Built twice: see PROFILE_LEAN in record.bpf.h. */
#include "weight.bpf.h"
#ifndef PROFILE_LEAN
#include "follow.bpf.h"
#endif

SEC("tracepoint")
int on_hit(void *ctx) { return record_hit(ctx); }

char LICENSE[] SEC("license") = "Dual BSD/GPL";
