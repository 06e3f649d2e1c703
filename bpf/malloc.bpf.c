/* The source `malloc`: the bytes that programs ask of the C library's allocator, by the stack that asks. With --live it
 * counts only memory that is not freed. Then `spans` holds a call under its stack pointer until it returns, and then
 * under the memory's address until the memory is freed or its process ends. */
#define PROFILE_PREEMPTIBLE
#include "abi/malloc.h"
#include "record.bpf.h"
/* These headers need the types above. */
#include <bpf/bpf_core_read.h>

#include "follow.bpf.h"
#include "probe.bpf.h"
#include "span.bpf.h"

SEC(".data.malloc") struct malloc_state state = {};

/* The kernel allocates entries on demand. That is safe here: programs on user probes run where a thread may do
 * anything. */
MAP(spans, HASH, BPF_F_NO_PREALLOC, __u64, struct allocation, SET_BY_USER_SPACE);

/* One entry for each process that has allocated: when the first allocation of its current program was seen, by tgid in
 * the initial pid namespace. An entry of `spans` with another life belongs to a program that is gone. */
MAP(lives, HASH, BPF_F_NO_PREALLOC, __u32, __u64, SET_BY_USER_SPACE);

MAP(heads, LRU_HASH, 0, __u32, struct call_head, SET_BY_USER_SPACE);

/* Keys of `spans` for one run of `flush` or `end_gone`. Nothing else runs on the CPU during such a run, so user space
 * gives it one batch at a time. */
MAP(batch, ARRAY, BPF_F_MMAPABLE, __u32, __u64, PROFILE_MALLOC_BATCH);

static __always_inline enum allocator_call call_in(__u64 cookie) {
  return cookie & ((1 << PROFILE_COOKIE_CALL_BITS) - 1);
}

static __always_inline bool is_call_to_itself(const struct probe_registers *registers, __u64 cookie, __u64 back) {
  const __u64 ranges = cookie >> PROFILE_COOKIE_CALL_BITS;
  const __u64 begin = PROBE_IP(registers) - (ranges & ((1ULL << PROFILE_COOKIE_BYTES_BITS) - 1));
  const __u64 end = PROBE_IP(registers) + (ranges >> PROFILE_COOKIE_BYTES_BITS);
  return back >= begin && back < end;
}

/* count * bytes, or 0 where this may overflow. No allocator gives so much. */
static __always_inline __u64 product(__u64 count, __u64 bytes) {
  if (((count | bytes) >> 32) && (count >> 47 || bytes >> 47 || (count >> 15 && bytes >> 15))) return 0;
  return count * bytes;
}

/* The first arguments. They are read before one is chosen, because the verifier knows a register only by its place in
 * the context. */
struct arguments {
  __u64 first, second, third;
};
#define READ_ONCE(value) (*(const volatile __typeof__(value) *)&(value))
static __always_inline struct arguments arguments_of(const struct probe_registers *registers) {
  const struct arguments arguments = {.first = READ_ONCE(PROBE_ARGUMENT_1(registers)),
                                      .second = READ_ONCE(PROBE_ARGUMENT_2(registers)),
                                      .third = READ_ONCE(PROBE_ARGUMENT_3(registers))};
  return arguments;
}

static __always_inline __u64 asked_bytes(struct arguments arguments, enum allocator_call call) {
  switch (call) {
    case ALLOCATOR_BYTES:
      return arguments.first;
    case ALLOCATOR_PRODUCT:
      return product(arguments.first, arguments.second);
    case ALLOCATOR_ALIGNED_BY_PLACE:
      return arguments.third;
    default:
      return arguments.second;
  }
}

/* In bytes. Every malloc aligns to at least this. */
#define ALIGNMENT_OF_MALLOC 16

/* Whether a call with the first arguments may go on in another function with the second arguments, by a jump.
 * realloc(NULL) becomes malloc, and so does memalign with a small alignment; memalign also becomes aligned_alloc.
 * `given` is the alignment, 0 for malloc, and for other functions a value that is no alignment. */
static __always_inline bool may_become(__u64 first_given, __u64 first_bytes, __u64 given, __u64 bytes) {
  return bytes == first_bytes && (given ? given == first_given : first_given <= ALIGNMENT_OF_MALLOC);
}

/* --- Calls -------------------------------------------------------------------------------------------------------- */

/* Whether another allocator function jumped here, whose call has been counted. Each call can be the start of only one
 * jump, because one place may call both functions through a pointer. */
static __always_inline bool goes_on_from_another(__u32 thread, const struct call_head *here) {
  struct call_head *head = bpf_map_lookup_elem(&heads, &thread);
  if (!head || head->stack_pointer != here->stack_pointer || head->back != here->back) return false;
  if (head->function == here->function || !may_become(head->given, head->bytes, here->given, here->bytes)) return false;
  head->stack_pointer = 0;
  return true;
}

enum jumps { FROM_ANOTHER = 1, TO_ANOTHER = 2 };

/* How a call may be part of a jump: bits of enum jumps. */
static __always_inline __u32 jumps_of(struct arguments arguments, enum allocator_call call) {
  if (call == ALLOCATOR_BYTES) return FROM_ANOTHER;
  if (call == ALLOCATOR_MOVED) return arguments.first ? 0 : TO_ANOTHER;
  return call == ALLOCATOR_ALIGNED ? FROM_ANOTHER | TO_ANOTHER : 0;
}

SEC("uprobe")
int ask(struct probe_registers *registers) {
  struct sample sample;
  keep_stack_of_task(registers);
  const __u64 cookie = bpf_get_attach_cookie(registers);
  if (call_in(cookie) == ALLOCATOR_FREE || !begin_sample(&sample)) return 0;
  const __u64 back = return_address(registers, false);
  if (is_call_to_itself(registers, cookie, back)) return 0;
  const struct arguments arguments = arguments_of(registers);
  const __u64 bytes = asked_bytes(arguments, call_in(cookie));
  const __u32 jumps = jumps_of(arguments, call_in(cookie));
  if (jumps) {
    const __u32 thread = (__u32)bpf_get_current_pid_tgid();
    const struct call_head here = {.stack_pointer = PROBE_SP(registers),
                                   .back = back,
                                   .function = PROBE_IP(registers),
                                   .given = call_in(cookie) == ALLOCATOR_ALIGNED ? arguments.first : 0,
                                   .bytes = bytes};
    const bool is_counted = (jumps & FROM_ANOTHER) && goes_on_from_another(thread, &here);
    if (jumps & TO_ANOTHER) bpf_map_update_elem(&heads, &thread, &here, BPF_ANY);
    if (is_counted) return 0;
  }
  if (record_config.user_stacks) sample.key.caller = back;
  return end_sample(registers, &sample, bytes);
}

/* --- Memory that is not freed (--live) ---------------------------------------------------------------------------- */

/* Memory is aligned to 16 bytes, and a stack pointer at a function's first instruction to 8. Two addresses share a key
 * only if they are 32 TB or more apart; then one of the two is lost, and find() does not confuse them. */
static __always_inline __u64 key_of(__u32 tgid, __u64 address) { return (address >> 3) ^ (__u64)tgid << 42; }

static __always_inline __u32 current_tgid(void) { return bpf_get_current_pid_tgid() >> 32; }

static __always_inline struct allocation *find(__u64 key, __u32 tgid, __u64 address) {
  struct allocation *found = bpf_map_lookup_elem(&spans, &key);
  return found && found->tgid == tgid && found->address == address ? found : NULL;
}

static __always_inline __u64 life_of(__u32 tgid) {
  const __u64 *life = bpf_map_lookup_elem(&lives, &tgid);
  if (life) return *life;
  const __u64 now_ns = bpf_ktime_get_ns();
  bpf_map_update_elem(&lives, &tgid, &now_ns, BPF_NOEXIST);
  life = bpf_map_lookup_elem(&lives, &tgid);
  return life ? *life : 0;
}

/* Not inlined, because the stack walk needs most of the BPF stack. */
static __noinline struct allocation *place_of_call(__u64 key, __u32 tgid, __u64 sp) {
  const struct allocation fresh = {.address = sp, .tgid = tgid};
  bpf_map_update_elem(&spans, &key, &fresh, BPF_NOEXIST);
  return find(key, tgid, sp);
}

/* Ends the memory at `address`, if it was allocated before `before_ns`. */
static __always_inline void give_back(__u32 tgid, __u64 address, __u64 before_ns) {
  const __u64 key = key_of(tgid, address);
  struct allocation *memory = find(key, tgid, address);
  if (!memory || !memory->life || memory->span.start_ns >= before_ns) return;
  if (close_span(&memory->span)) count_span(&memory->span, memory->id, 0, SPAN_CLOSED, 0);
  bpf_map_delete_elem(&spans, &key);
}

/* What a call is given besides the bytes. For realloc it is the old memory's address: 0, or more than any alignment
 * that malloc gives. ~0: the call cannot be part of a jump. */
static __always_inline __u64 given_to(struct arguments arguments, enum allocator_call call) {
  if (call == ALLOCATOR_BYTES) return 0;
  return call == ALLOCATOR_PRODUCT ? ~0ULL : arguments.first;
}

SEC("uprobe")
int begin(struct probe_registers *registers) {
  struct sample sample;
  keep_stack_of_task(registers);
  const __u64 cookie = bpf_get_attach_cookie(registers);
  const __u32 tgid = current_tgid();
  if (call_in(cookie) == ALLOCATOR_FREE) {
    give_back(tgid, PROBE_ARGUMENT_1(registers), ~0ULL);
    return 0;
  }
  if (!begin_sample(&sample)) return 0;
  const __u64 back = return_address(registers, false);
  if (is_call_to_itself(registers, cookie, back)) return 0;
  const struct arguments arguments = arguments_of(registers);
  const __u64 bytes = asked_bytes(arguments, call_in(cookie));
  const __u64 given = given_to(arguments, call_in(cookie));
  const __u64 sp = PROBE_SP(registers);
  const __u64 key = key_of(tgid, sp);
  struct allocation *call = find(key, tgid, sp);
  if (call) {
    /* Another function that has begun may have jumped here. Otherwise the end of an earlier call was not seen, and this
     * call takes its place. */
    if (call->function != PROBE_IP(registers) && may_become(call->given, call->bytes, given, bytes)) return 0;
  } else {
    call = place_of_call(key, tgid, sp);
    if (!call) {
      lose_span(&sample);
      return 0;
    }
  }
  call->bytes = bytes;
  call->given = given;
  call->function = PROBE_IP(registers);
  call->id = key + bpf_ktime_get_ns() * PLACE_FACTOR;
  if (record_config.user_stacks) sample.key.caller = back;
  begin_span(registers, &call->span, call->id, &sample);
  return 0;
}

SEC("uretprobe")
int end(struct probe_registers *registers) {
  keep_stack_of_task(registers);
  const enum allocator_call called = call_in(bpf_get_attach_cookie(registers));
  const __u32 tgid = current_tgid();
  const __u64 sp = PROBE_SP(registers) - PROBE_RETURN_BYTES;
  const __u64 key = key_of(tgid, sp);
  struct allocation *call = find(key, tgid, sp);
  if (!call || call->life) return 0; /* filtered out, or another function of a jump has ended it */
  struct allocation memory = *call;
  bpf_map_delete_elem(&spans, &key);

  __u64 address = PROBE_RESULT(registers);
  if (called == ALLOCATOR_ALIGNED_BY_PLACE) {
    const bool failed = (__u32)address != 0;
    if (failed || bpf_probe_read_user(&address, sizeof(address), (void *)memory.given)) address = 0;
  }
  /* Another thread may already have memory at the old address. That memory is younger than this call, so it stays. */
  const __u64 begun_ns = memory.span.start_ns ? memory.span.start_ns : ~0ULL;
  if (called == ALLOCATOR_MOVED && (address || !memory.bytes)) give_back(tgid, memory.given, begun_ns);
  if (!memory.span.start_ns) return 0; /* its stack was lost, which has been counted */
  if (!address) {
    count_span(&memory.span, memory.id, 0, SPAN_CLOSED, 0);
    return 0;
  }
  memory.address = address;
  memory.life = life_of(tgid);
  const __u64 place = key_of(tgid, address);
  if (!memory.life || bpf_map_update_elem(&spans, &place, &memory, BPF_ANY)) {
    struct cpu_account *account = account_of(current_generation());
    if (!account) return 0;
    bump(account, ACCOUNT_TAKEN);
    bump(account, ACCOUNT_LOST_SPANS_FULL);
  }
  return 0;
}

/* --- Programs that are gone --------------------------------------------------------------------------------------- */

static __always_inline void end_life(__u32 tgid) {
  if (!bpf_map_lookup_elem(&lives, &tgid)) return;
  bpf_map_delete_elem(&lives, &tgid);
  __sync_fetch_and_add(&state.ended, 1);
}

/* An exec gives the process new memory, so the memory of the old program is gone. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task) {
  end_life(current_tgid());
  return 0;
}

/* A process ends with its last thread. If two threads exit last at the same time, both may count as the last. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task) {
  struct signal_struct___alive *signal = (struct signal_struct___alive *)task->signal;
  if (signal->live.counter == 0) end_life(current_tgid());
  return 0;
}

/* --- Reports ------------------------------------------------------------------------------------------------------ */

/* Whether the program that has the memory still runs. */
static __always_inline bool is_alive(const struct allocation *memory) {
  const __u32 tgid = memory->tgid;
  const __u64 *life = bpf_map_lookup_elem(&lives, &tgid);
  return life && *life == memory->life;
}

static long count_memory(void *map, const __u32 *index, const __u64 *key, void *unused) {
  if (*index >= state.batched) return 1;
  struct allocation *memory = bpf_map_lookup_elem(&spans, key);
  if (!memory || !memory->life || !memory->span.start_ns || !is_alive(memory)) return 0;
  count_span(&memory->span, memory->id, memory->bytes, SPAN_COUNTS | (state.last_flush ? SPAN_CLOSED : 0),
             memory->span.start_ns);
  return 0;
}

SEC("raw_tp")
int flush(void *ctx) {
  bpf_for_each_map_elem(&batch, count_memory, NULL, 0);
  return 0;
}

/* Removes memory whose program is gone. */
static long end_memory(void *map, const __u32 *index, const __u64 *key, void *unused) {
  if (*index >= state.batched) return 1;
  struct allocation *memory = bpf_map_lookup_elem(&spans, key);
  if (!memory || !memory->life || is_alive(memory)) return 0;
  if (close_span(&memory->span)) count_span(&memory->span, memory->id, 0, SPAN_CLOSED, 0);
  bpf_map_delete_elem(&spans, key);
  return 0;
}

SEC("raw_tp")
int end_gone(void *ctx) {
  bpf_for_each_map_elem(&batch, end_memory, NULL, 0);
  return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
