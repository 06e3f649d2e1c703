#include "sampling/walk.h"

#include <sys/random.h>

#include <algorithm>

#include "abi/walk.h"
#include "sampling/kernel_layout.h"
#include "sampling/kernel_needs.h"
#include "support/bpf.h"
#include "support/error.h"
#include "support/privilege.h"

namespace profile {
namespace {

// Returns why there can be no walk on this kernel; nullopt when there can.
std::optional<std::string> fill_layout(bpf_object& object) {
  if (auto lockdown = missing_by_lockdown()) return lockdown;
  auto* layout = static_cast<kernel_layout*>(bpf_section_memory(object, ".rodata.layout", sizeof(kernel_layout)));
  return read_kernel_layout(*layout);
}

walk_mode mode_of(Unwinding unwinding) {
  if (unwinding == Unwinding::tables) return WALK_TABLES;
  return unwinding == Unwinding::frame_pointers ? WALK_POINTERS : WALK_AUTO;
}

}  // namespace

SamplingOptions within_kernel_depth(SamplingOptions options) {
  if (const auto most = most_kernel_frames()) {
    options.max_stack_depth = static_cast<std::uint32_t>(std::min<std::uint64_t>(options.max_stack_depth, *most));
  }
  return options;
}

std::optional<std::string> prepare_walk(bpf_object& object, const SamplingOptions& options, bool has_rate) {
  std::optional<std::string> why;
  bool walks = options.user_stacks;
  if (walks) {
    why = fill_layout(object);
    if (why && options.unwinding == Unwinding::tables) throw Error("--unwind cfi: " + *why);
    walks = !why;
  }
  auto& config = *static_cast<walk_config*>(bpf_section_memory(object, ".rodata.walk", sizeof(walk_config)));
  const bool has_tables = walks && options.unwinding != Unwinding::frame_pointers;
  for (const char* name : {"slabs", "walk_files", "walk_copies", "walks", "spaces"}) want_map(object, name, walks);
  if (!has_tables) size_map(object, "walk_files", 1, "size the table of files");
  want_map(object, "unfinished", has_tables);
  config.languages = has_tables ? options.languages : 0;
  config.lines = config.languages != 0 && options.script_lines ? 1 : 0;
  want_map(object, "script_lines", config.lines != 0);
  for (const char* name : {"script_layouts", "known_functions", "script_names", "script_counts"}) {
    want_map(object, name, config.languages != 0);
  }
  const bool has_spans = bpf_object__find_map_by_name(&object, "spans") != nullptr;
  config.sends_each_row = has_rate && !options.each_sample && !has_spans ? 1 : 0;
  for (const char* name : {"sent_0", "sent_1"}) {
    want_map(object, name, walks && config.sends_each_row == 0);
    size_map(object, name, options.stack_entries, "size the table of sent stacks");
  }
  if (!walks) {
    if (why && options.unwinding == Unwinding::automatic)
      return "user stacks are taken by frame pointers alone: " + *why;
    return std::nullopt;
  }
  config.mode = mode_of(options.unwinding);
  config.depth = has_tables ? options.walk_depth : std::min(options.walk_depth, options.max_stack_depth);
  config.half_full = std::max(1U, options.stack_entries / 2);
  if (::getrandom(config.seed, sizeof config.seed, 0) != sizeof config.seed)
    throw system_error("cannot get random bytes", errno);
  return std::nullopt;
}

bool walks(bpf_object& object) {
  const void* memory = bpf_section_memory(object, ".rodata.walk", sizeof(walk_config));
  return static_cast<const walk_config*>(memory)->mode != WALK_OFF;
}

}  // namespace profile
