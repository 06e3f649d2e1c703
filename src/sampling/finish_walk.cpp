#include "sampling/finish_walk.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#define __TARGET_ARCH_x86
#endif
#ifndef __noinline
#define __noinline
#endif
#ifndef __always_inline
#define __always_inline inline
#endif
// User space cannot read kernel memory. So it cannot find a return address that a return probe has replaced.
#define READ_AT(to, base, member) unreadable()

namespace profile {
namespace {

#include "bpf/frame_types.bpf.h"

long unreadable() { return -1; }

// The members of the BPF program's `struct walk` that frame.bpf.h uses, without the state for the next sample.
struct walk {
  __u64 pc = 0;
  __u64 sp = 0;
  __u64 fp = 0;
  __u64 fp_at = 0;
  __u64 extra = 0;
  __u64 extra_at = 0;
  __u64 innermost[REGISTERS]{};
  __u32 lost = 0;
  __u32 was_interrupted = 0;
  __u32 guessed = 0;
  __u32 depth = 0;
  __u32 slot = 0;
  __u64 stack_end = 0;
  __u64 start_stack = 0;
  __u64 probe_area = 0;
  __u64 probe_return = 0;
  __u64 caller = 0;
  __u64 sought = 0;
  __u64 raw[4]{};
  unwind_rule rule{};
  walk_stuck stuck{};
  walk_file_key key{};
  walk_mapping mapping{};

  const ring_unfinished* begun = nullptr;
  WalkedCode* code = nullptr;
  bool is_waiting = false;
};

// A global, because the functions of the BPF program get only an index (the verifier prefers that).
walk* under_way = nullptr;
walk* walk_of(__u32 /*slot*/) { return under_way; }

struct {
  __u32 mode = WALK_AUTO;
} walk_config;

const char* slab_of(__u32 at) { return under_way->code->slab(at >> WALK_SLAB_SHIFT); }

// Returns 0 if all bytes lie in the copy of the stack, otherwise -1.
long bpf_probe_read_user(void* to, __u32 bytes, const void* from) {
  const ring_unfinished& begun = *under_way->begun;
  const std::uint64_t at = reinterpret_cast<std::uint64_t>(from) - begun.stuck.sp;
  if (at > begun.bytes || begun.bytes - at < bytes) return -1;
  std::memcpy(to, begun.stack + at, bytes);
  return 0;
}

// Finds a mapping of one byte, for the looked-up address alone: the code here does not need the true length.
int find_mapping(__u32 /*slot*/) {
  const WalkedCode::Code place = under_way->code->place_of(under_way->sought);
  using Kind = WalkedCode::Code::Kind;
  if (place.kind == Kind::waiting) under_way->is_waiting = true;
  if (place.kind == Kind::waiting || place.kind == Kind::nowhere) return FOUND_NOTHING;
  under_way->mapping = {.start = under_way->sought,
                        .bytes = 1,
                        .bias = under_way->sought - place.offset,
                        .identity = 0,
                        .kind = place.kind == Kind::table ? __u32{MAPPING_TABLE} : __u32{MAPPING_PLAIN},
                        .first_page = place.table.first_page,
                        .pages = place.table.pages,
                        .pages_at = place.table.pages_at,
                        .rules_at = place.table.rules_at,
                        .is_vdso = place.is_vdso ? 1U : 0U};
  return FOUND;
}

// finish_walk() has copied all registers.
int name_registers(__u32 /*slot*/) { return 0; }

int find_stack_end(__u32 /*slot*/) {
  under_way->stack_end = under_way->begun->stuck.sp + under_way->begun->bytes;
  return 0;
}

// The copy of the stack is at hand, and a table is searched for few frames: nothing is gained by remembering.
long read_pair(walk* /*walk*/, __u64* pair, __u64 from) {
  return bpf_probe_read_user(pair, 2 * sizeof(*pair), reinterpret_cast<const void*>(from));  // NOLINT(*-int-to-ptr)
}
bool recall(walk* /*walk*/, __u32 /*at*/, __u32 /*unit*/, __u32* /*code*/) { return false; }
void remember(walk* /*walk*/, __u32 /*at*/, __u32 /*unit*/, __u32 /*code*/) {}

#include "bpf/frame.bpf.h"

int next_frame() {
  const int end = find_frame(under_way);
  return end == WALK_GOES_ON ? leave_frame(under_way) : end;
}

}  // namespace

FinishedWalk finish_walk(const ring_unfinished& begun, WalkedCode& code, bool tables_alone, std::uint32_t most_frames) {
  walk walk;
  walk.pc = begun.stuck.pc;
  walk.sp = begun.stuck.sp;
  walk.fp = begun.stuck.fp;
  walk.extra = begun.stuck.extra;
  walk.lost = begun.stuck.lost;
  walk.was_interrupted = begun.stuck.was_interrupted;
  walk.depth = begun.stuck.depth;
  walk.start_stack = begun.start_stack;
  walk.caller = begun.caller;
  std::copy_n(begun.innermost, REGISTERS, walk.innermost);
  walk.begun = &begun;
  walk.code = &code;
  walk_config.mode = tables_alone ? WALK_TABLES : WALK_AUTO;
  under_way = &walk;

  FinishedWalk finished;
  int end = next_frame();
  while (end == WALK_GOES_ON && walk.depth < most_frames) {
    finished.callers.push_back(walk.was_interrupted != 0 ? walk.pc | WALK_INTERRUPTED : walk.pc);
    ++walk.depth;
    end = next_frame();
  }
  under_way = nullptr;
  if (end == WALK_GOES_ON) end = WALK_TOO_DEEP;
  if (end == WALK_NOT_MAPPED && !walk.is_waiting && !finished.callers.empty()) finished.callers.pop_back();
  finished.end = static_cast<walk_end>(end);
  finished.is_guessed = walk.guessed != 0;
  finished.is_waiting = walk.is_waiting;
  return finished;
}

}  // namespace profile
