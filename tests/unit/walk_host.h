// The unit tests' host of a walk (bpf/walk_host.bpf.h). It walks in a made program, and remembers as the BPF programs
// do, with their own text. Define WALK_OF_X86_64 or WALK_OF_ARM64 before it for the rules of that architecture.
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "abi/walk.h"
#include "walked_program.h"

namespace {

#include "bpf/frame.bpf.h"
#include "bpf/known_codes.bpf.h"
#include "bpf/known_spaces.bpf.h"
#include "bpf/stack_window.bpf.h"

// What the walk sees. A test makes it anew.
struct WalkHost {
  profile::WalkedProgram program{UNIT_SHIFT};
  std::uint64_t stack_end = 0;
  std::map<std::uint64_t, std::uint64_t> real_returns;  // by the stack pointer at the function's first instruction
  std::array<walk_space, 2 * std::size_t{SPACES}> spaces{};
  struct walk walk {};
  int reads = 0;
  script_layout script{};  // of the interpreter, if its language is not SCRIPT_NONE
  __u64 thread_base = 0;
  __u64 engine_bias = 0;                               // of an engine that find_engine() finds; 0: none
  std::map<std::pair<__u64, __u64>, __u64> functions;  // by address and hash
  std::map<__u64, ring_name> names;                    // that were sent, by the word of the frame
  ring_lines lines{};                                  // of the function at hand
  std::map<__u64, std::string> tables;                 // that were sent, by the word of the frame
  bool loses_names = false;
  std::array<java_known, JAVA_KNOWN> java_places{};
};
WalkHost* host = nullptr;

walk* walk_of(__u32 /*slot*/) { return &host->walk; }

long read_user(void* to, __u32 bytes, __u64 from) {
  ++host->reads;
  return host->program.read(to, bytes, from) ? 0 : -EFAULT;
}

long read_user_text(char* to, __u32 most, __u64 from) {
  for (__u32 at = 0; at < most; ++at) {
    if (read_user(to + at, 1, from + at) != 0) return -EFAULT;
    if (to[at] == 0) return at + 1;
  }
  to[most - 1] = 0;
  return most;
}

// Each test that needs these registers puts them there.
int name_registers(__u32 /*slot*/) { return 0; }

int real_return(__u32 /*slot*/) {
  const auto found = host->real_returns.find(host->walk.entry_sp);
  if (found != host->real_returns.end()) host->walk.pc = found->second;
  return 0;
}

walk_space* space_of(const walk* walk) {
  return walk->space < host->spaces.size() ? &host->spaces[walk->space] : nullptr;
}

int find_mapping(__u32 /*slot*/) {
  using Program = profile::WalkedProgram;
  walk& walk = host->walk;
  if (recall_mapping(&walk, walk.place)) return FOUND;
  const Program::Code place = host->program.place_of(walk.place);
  if (place.kind == Program::Kind::nowhere) return FOUND_NOTHING;
  walk.mapping = {};
  walk.mapping.start = walk.place & ~(Program::page_bytes - 1);
  walk.mapping.bytes = Program::page_bytes;
  walk.mapping.bias = walk.place - place.offset;
  walk.mapping.identity = walk.mapping.start * PLACE_FACTOR;
  walk.mapping.kind = MAPPING_PLAIN;
  if (place.kind == Program::Kind::table) walk.mapping.kind = MAPPING_TABLE;
  if (place.kind == Program::Kind::waiting) walk.mapping.kind = MAPPING_PENDING;
  walk.mapping.pages = place.table.pages;
  walk.mapping.pages_at = place.table.pages_at;
  walk.mapping.layout = host->script.language != SCRIPT_NONE ? 1 : 0;
  // Without a file.
  if (place.kind == Program::Kind::plain) walk.mapping.identity = walk.mapping.layout = 0;
  remember_mapping(&walk);
  return FOUND;
}

int find_stack_end(__u32 /*slot*/) {
  host->walk.stack_end = host->stack_end;
  return 0;
}

int find_engine(__u32 /*slot*/) {
  if (host->engine_bias != 0) take_engine(&host->walk, 1, host->engine_bias, false);
  return 0;
}

const script_layout* script_layout_of(__u32 /*number*/) {
  return host->script.language == SCRIPT_NONE ? nullptr : &host->script;
}
long read_thread_base(__u64* base) {
  *base = host->thread_base;
  return *base == 0 ? -EFAULT : 0;
}
bool recall_function(walk* walk) {
  const auto found = host->functions.find({walk->script.function, walk->script.proof[3]});
  if (found == host->functions.end()) return false;
  walk->script.id = found->second;
  return true;
}
void remember_function(walk* walk) {
  host->functions[{walk->script.function, walk->script.proof[3]}] = walk->script.id;
}
ring_lines* lines_of(const walk* /*walk*/) { return &host->lines; }
bool send_name(walk* walk) {
  const ring_name& name = walk->script.name;
  if (!host->loses_names) host->names[walk->script.id] = name;
  if (name.table_bytes != 0) host->tables[walk->script.id] = std::string(host->lines.table, name.table_bytes);
  return !host->loses_names;
}

java_known* java_known_of(const walk* /*walk*/, __u32 at) { return &host->java_places[at]; }

const char* slab_of(__u32 at) { return host->program.slab(at >> WALK_SLAB_SHIFT); }

}  // namespace
