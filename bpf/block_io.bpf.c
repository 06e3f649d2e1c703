/* The source `block-io`: how long block devices take for requests, by the stack that made the request. The time of a
 * request runs from when the device gets it until it is done. A scheduler may hold a request back, and then the kernel
 * itself hands it over. So the stack is taken when the request comes to the scheduler. */
#include "abi/block_io.h"
#include "record.bpf.h"
/* These headers need the types above. */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "durations.bpf.h"
#include "follow.bpf.h"
#include "span.bpf.h"

SEC(".data.block_io") struct block_io_state state = {};

/* The keys are addresses of the kernel's request structures. The kernel reuses these, so few places are enough. */
MAP(spans, HASH, 0, __u64, struct block_request, SET_BY_USER_SPACE);

MAP(disks, HASH, 0, struct disk_key, __u64, PROFILE_MOST_DISKS);

/* The number of the request's disk. 0: the map `disks` is full. This and the next two functions are not inlined,
 * because the stack walk needs most of the BPF stack. */
static __noinline __u32 disk_of(struct request *request) {
  struct gendisk *disk = NULL;
  if (bpf_core_field_exists(((struct request___before_5_17 *)request)->rq_disk)) {
    disk = BPF_CORE_READ((struct request___before_5_17 *)request, rq_disk);
  } else {
    disk = BPF_CORE_READ(request, q, disk);
  }
  struct disk_key key = {};
  if (disk) bpf_probe_read_kernel_str(key.name, sizeof(key.name), disk->disk_name);
  __u64 *number = bpf_map_lookup_elem(&disks, &key);
  if (number) return *number;
  /* Another CPU may add the disk first. Then this number stays unused. */
  const __u64 fresh = __sync_fetch_and_add(&state.disks, 1) + 1;
  bpf_map_update_elem(&disks, &key, &fresh, BPF_NOEXIST);
  number = bpf_map_lookup_elem(&disks, &key);
  return number ? *number : 0;
}

static __noinline struct block_request *find_request(__u64 id) { return bpf_map_lookup_elem(&spans, &id); }

static __noinline struct block_request *place_of_request(__u64 id) {
  struct block_request *noted = bpf_map_lookup_elem(&spans, &id);
  if (noted) return noted;
  const struct block_request fresh = {};
  bpf_map_update_elem(&spans, &id, &fresh, BPF_NOEXIST);
  return bpf_map_lookup_elem(&spans, &id);
}

/* Takes the stack of a request. NULL: the request is filtered out, or `spans` is full. span.start_ns is 0 when the
 * stack was lost. */
static __always_inline struct block_request *note(void *ctx, struct request *request) {
  struct sample sample;
  if (!begin_sample(&sample)) return NULL;
  const __u64 id = (__u64)request;
  struct block_request *noted = place_of_request(id);
  if (!noted) {
    lose_span(&sample);
    return NULL;
  }
  noted->began_ns = 0; /* forgets an earlier request whose end was not seen */
  noted->bytes = request->__data_len;
  const __u32 operation = request->cmd_flags & PROFILE_BLOCK_OPERATION_MASK;
  noted->tag = (disk_of(request) << PROFILE_BLOCK_DISK_SHIFT | operation) + 1;
  sample.key.tag = noted->tag;
  begin_span(ctx, &noted->span, id, &sample);
  return noted;
}

/* The kernel puts a request into a scheduler, or into the queue of a busy device. */
SEC("tp_btf/block_rq_insert")
int BPF_PROG(on_insert, struct request *request) {
  note(ctx, request);
  return 0;
}

/* The kernel hands a request to its device. It does so again when the device had no room the first time. */
SEC("tp_btf/block_rq_issue")
int BPF_PROG(on_issue, struct request *request) {
  struct block_request *noted = find_request((__u64)request);
  if (noted && noted->span.start_ns) {
    noted->bytes = request->__data_len; /* the kernel may have merged other requests into it */
  } else {
    noted = note(ctx, request);
    if (!noted || !noted->span.start_ns) return 0;
  }
  if (noted->began_ns) return 0;
  noted->began_ns = bpf_ktime_get_ns();
  noted->span.start_ns = noted->began_ns;
  return 0;
}

static __always_inline void count_request(struct block_request *done, __u64 id, __u64 start_ns, __u64 now_ns,
                                          bool is_over) {
  struct durations_sum *sum = durations_of(done->tag, 0, done->span.key.comm);
  if (sum) {
    add_duration(sum, now_ns - start_ns, now_ns - done->began_ns, is_over);
    if (is_over) sum->bytes += done->bytes;
  }
  count_span(&done->span, id, now_ns - start_ns, SPAN_COUNTS | (is_over ? SPAN_CLOSED : SPAN_PART), start_ns);
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(on_complete, struct request *request, int error, unsigned int bytes) {
  const __u64 id = (__u64)request;
  struct block_request *done = bpf_map_lookup_elem(&spans, &id);
  if (!done || !done->began_ns) return 0;
  if (bytes < request->__data_len) return 0; /* only a part of the request is done */
  const __u64 start_ns = close_span(&done->span);
  if (start_ns) count_request(done, id, start_ns, end_of_span(start_ns), true);
  return 0;
}

/* Counts the time so far of a request that goes on. */
static long cut_request(void *map, const __u64 *id, struct block_request *request, void *unused) {
  const __u64 start_ns = request->span.start_ns;
  const __u64 now_ns = end_of_span(start_ns);
  if (!start_ns || !request->began_ns || now_ns <= start_ns) return 0;
  const bool is_last = durations_state.last_flush;
  if (__sync_val_compare_and_swap(&request->span.start_ns, start_ns, is_last ? 0 : now_ns) != start_ns) return 0;
  durations_state.cut++;
  durations_state.cut_ns += now_ns - start_ns;
  count_request(request, *id, start_ns, now_ns, is_last);
  return 0;
}

SEC("raw_tp")
int flush(void *ctx) {
  durations_state.cut = 0;
  durations_state.cut_ns = 0;
  bpf_for_each_map_elem(&spans, cut_request, NULL, 0);
  return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
