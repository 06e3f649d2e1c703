// The host of a walk (bpf/walk_host.bpf.h) that finishes it in the copy of a stack. Only the file that walks includes
// this one: finish_walk.cpp for the machine, and the unit tests for each architecture.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "abi/walk.h"
#include "sampling/finish_walk.h"

namespace profile {
namespace {

#include "bpf/frame.bpf.h"

struct CopyWalk {
  const ring_unfinished& begun;
  WalkedCode& code;
  bool is_waiting = false;
  std::uint32_t met_layout = 0;  // as FinishedWalk::met_layout
  struct walk state {};
};
// A global, because the functions of the walk get only an index.
CopyWalk* under_way = nullptr;

walk* walk_of(__u32 /*slot*/) { return &under_way->state; }

long read_user(void* to, __u32 bytes, __u64 from) {
  const ring_unfinished& begun = under_way->begun;
  const std::uint64_t at = from - begun.stuck.sp;
  if (at > begun.bytes || begun.bytes - at < bytes) return -EFAULT;
  std::memcpy(to, begun.stack + at, bytes);
  return 0;
}
long read_user_text(char* /*to*/, __u32 /*most*/, __u64 /*from*/) { return -EFAULT; }
long read_pair(walk* /*walk*/, __u64* pair, __u64 from) { return read_user(pair, 2 * sizeof *pair, from); }

// finish_in_copy() has copied all registers.
int name_registers(__u32 /*slot*/) { return 0; }

// User space cannot read kernel memory. So it cannot find a return address that a return probe has replaced.
int real_return(__u32 /*slot*/) { return 0; }

// Finds a mapping of one byte, for the looked-up address alone: the walk does not need the true length.
int find_mapping(__u32 /*slot*/) {
  walk& walk = under_way->state;
  const WalkedCode::Code place = under_way->code.place_of(walk.place);
  using Kind = WalkedCode::Code::Kind;
  if (place.kind == Kind::waiting) under_way->is_waiting = true;
  if (place.kind == Kind::waiting || place.kind == Kind::nowhere) return FOUND_NOTHING;
  walk.mapping = {.start = walk.place,
                  .bytes = 1,
                  .bias = walk.place - place.offset,
                  .identity = 0,
                  .kind = place.kind == Kind::table ? __u32{MAPPING_TABLE} : __u32{MAPPING_PLAIN},
                  .first_page = place.table.first_page,
                  .pages = place.table.pages,
                  .pages_at = place.table.pages_at,
                  .rules_at = place.table.rules_at,
                  .is_vdso = place.is_vdso ? __u16{1} : __u16{0},
                  .layout = static_cast<__u16>(place.table.layout)};
  return FOUND;
}

int find_stack_end(__u32 /*slot*/) {
  under_way->state.stack_end = under_way->begun.stuck.sp + under_way->begun.bytes;
  return 0;
}

const char* slab_of(__u32 at) { return under_way->code.slab(at >> WALK_SLAB_SHIFT); }

// A table is searched for few frames: nothing is gained by remembering.
bool recall_row(walk* /*walk*/, __u32 /*at*/, __u32 /*unit*/, __u32* /*code*/) { return false; }
void remember_row(walk* /*walk*/, __u32 /*at*/, __u32 /*unit*/, __u32 /*code*/) {}

// The frames of scripts are elsewhere in the memory of the process, which has changed.
const script_layout* script_layout_of(__u32 number) {
  under_way->met_layout = number;
  return nullptr;
}
long read_thread_base(__u64* /*base*/) { return -EFAULT; }
void remember_code_layout(walk* /*walk*/) {}
// Frames of Java end the walk there: what the engine says of them is elsewhere, and their frame pointers mean nothing.
int find_engine(__u32 /*slot*/) {
  if (under_way->code.language_of(under_way->met_layout) != SCRIPT_JAVA) return 0;
  under_way->state.code_layout = under_way->met_layout;
  under_way->state.java.bias = 1;
  return 0;
}
bool recall_function(walk* /*walk*/) { return false; }
java_known* java_known_of(const walk* /*walk*/, __u32 /*at*/) { return nullptr; }
void remember_function(walk* /*walk*/) {}
ring_lines* lines_of(const walk* /*walk*/) { return nullptr; }
bool send_name(walk* /*walk*/) { return false; }

// As finish_walk().
FinishedWalk finish_in_copy(const ring_unfinished& begun, WalkedCode& code, bool tables_alone,
                            std::uint32_t most_frames) {
  CopyWalk copy{.begun = begun, .code = code};
  walk& walk = copy.state;
  walk.pc = begun.stuck.pc;
  walk.sp = begun.stuck.sp;
  walk.fp = begun.stuck.fp;
  walk.extra = begun.stuck.extra;
  walk.lost = begun.stuck.lost;
  walk.was_interrupted = begun.stuck.was_interrupted;
  walk.depth = begun.stuck.depth - 1;  // the walk begins with the frame at which it had stopped
  walk.start_stack = begun.start_stack;
  walk.caller = begun.caller;
  std::copy_n(begun.innermost, REGISTERS, walk.innermost);
  walk_config.mode = tables_alone ? WALK_TABLES : WALK_AUTO;
  walk_config.depth = most_frames;
  walk_config.languages = UINT32_MAX;
  under_way = &copy;
  const int end = walk_frames(0);
  under_way = nullptr;

  FinishedWalk finished;
  finished.callers.assign(walk.frames + begun.stuck.depth, walk.frames + walk.depth);
  if (end == WALK_NOT_MAPPED && !copy.is_waiting && !finished.callers.empty()) finished.callers.pop_back();
  finished.end = static_cast<walk_end>(end);
  finished.is_guessed = walk.guessed != 0;
  finished.is_waiting = copy.is_waiting;
  finished.met_layout = copy.met_layout;
  return finished;
}

}  // namespace
}  // namespace profile
