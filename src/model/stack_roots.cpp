#include "model/stack_roots.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace profile {
namespace {

// Functions where stacks begin, as C libraries, language run-times and loaders name them. No other code calls them or
// uses these names, so the frames beyond are garbage.
constexpr std::string_view roots[] = {
    "_start",
    "__libc_start_main",
    "__libc_start_main_impl",
    "__libc_start_call_main",
    "libc_start_main_stage2",  // musl
    "_dl_start",
    "_dl_start_user",
    "__start_context",  // of makecontext()
    "runtime.goexit",
    "runtime.goexit.abi0",
    "runtime.mstart",
    "runtime.mstart.abi0",
    "runtime.rt0_go",
    "runtime.rt0_go.abi0",
    "_rt0_amd64_linux",
    "_rt0_arm64_linux",
    exec_frame,
};
// The root of glibc's threads. A program may have its own function of this name, which has real callers.
constexpr std::string_view thread_root = "start_thread";
constexpr std::string_view thread_makers[] = {"clone", "clone3", "__clone", "__clone3", "thread_start"};
// The same, when they are not the leaf. A leaf of this name is about to make a thread, and it has real callers.
constexpr std::string_view roots_that_call[] = {"clone3", "__clone", "__clone3"};
// Roots only if no known frame is beyond them. The stack of a signal handler may go on with the interrupted code.
constexpr std::string_view outermost_roots[] = {"clone", "__restore_rt"};
// Roots of musl's threads. Programs use these names, too, so they count only as the last frame of a chain that ends
// properly.
constexpr std::string_view last_roots[] = {"start", "start_c11"};

template <std::size_t count>
bool is_among(std::string_view name, const std::string_view (&names)[count]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Kernel functions inside execve, in the system call or when the kernel starts a helper process.
constexpr std::string_view exec_functions[] = {"bprm_execve",      "load_elf_binary",    "begin_new_exec",
                                               "__x64_sys_execve", "__x64_sys_execveat", "do_execveat_common",
                                               "kernel_execve"};

bool is_c_library(std::string_view module) {
  return module.starts_with("libc.so") || module.starts_with("libc-2.") || module.starts_with("libpthread") ||
         module.starts_with("ld-linux") || module.starts_with("ld-musl");
}

// A broken chain leaves such frames at its root end.
bool lies_nowhere(const Frame& frame) { return frame.unnamed == Unnamed::not_mapped; }

// A C library without a symbol table has no name for the function that calls main() or a thread's function. It is
// recognised because it calls code outside of the C library.
bool is_unnamed_root(const Profile& profile, const Frame& frame, const Frame& inner) {
  return frame.unnamed != Unnamed::named && is_c_library(profile.strings.view(frame.module)) &&
         !is_c_library(profile.strings.view(inner.module));
}

// The registers still hold addresses of the old program, which are not mapped in the new one.
bool is_of_gone_program(const Profile& profile, std::span<const FrameId> leaf_first) {
  return std::all_of(leaf_first.begin(), leaf_first.end(), [&](FrameId id) { return lies_nowhere(profile.frame(id)); });
}

bool is_in_execve(const Profile& profile, std::span<const FrameId> kernel) {
  return std::any_of(kernel.begin(), kernel.end(), [&](FrameId id) {
    return is_among(profile.strings.view(profile.frame(id).symbol), exec_functions);
  });
}

bool is_thread_root(const Profile& profile, std::span<const FrameId> leaf_first, std::size_t i) {
  const Frame& frame = profile.frame(leaf_first[i]);
  if (profile.strings.view(frame.symbol) != thread_root) return false;
  if (i + 1 == leaf_first.size() || is_c_library(profile.strings.view(frame.module))) return true;
  const Frame& outer = profile.frame(leaf_first[i + 1]);
  const std::string_view caller = profile.strings.view(outer.symbol);
  return outer.unnamed != Unnamed::named || is_among(caller, thread_makers);
}

}  // namespace

StackExtent extent_of(const Profile& profile, std::span<const FrameId> leaf_first) {
  const auto name = [&](std::size_t i) { return profile.strings.view(profile.frame(leaf_first[i]).symbol); };
  for (std::size_t i = leaf_first.size(); i-- > 0;) {
    const bool is_root = is_among(name(i), roots) || (i != 0 && is_among(name(i), roots_that_call)) ||
                         is_thread_root(profile, leaf_first, i);
    if (!is_root) continue;
    std::size_t frames = i + 1;
    while (frames < leaf_first.size() && is_among(name(frames), outermost_roots)) ++frames;
    return {.frames = frames, .has_root = true, .trusted = frames};
  }
  std::size_t trusted = leaf_first.size();
  while (trusted > 0 && lies_nowhere(profile.frame(leaf_first[trusted - 1]))) --trusted;
  const StackExtent all{.frames = leaf_first.size(), .trusted = trusted};
  if (trusted == 0) return all;
  const std::size_t outermost = trusted - 1;
  const bool is_last = trusted == leaf_first.size() && is_among(name(outermost), last_roots);
  const bool is_root =
      is_last || is_among(name(outermost), outermost_roots) || is_among(name(outermost), roots_that_call) ||
      (outermost > 0 &&
       is_unnamed_root(profile, profile.frame(leaf_first[outermost]), profile.frame(leaf_first[outermost - 1])));
  return is_root ? StackExtent{.frames = trusted, .has_root = true, .trusted = trusted} : all;
}

StackId believable_user_stack(Profile& profile, const Row& row) {
  const std::span<const FrameId> leaf_first = profile.stack(row.user);
  if (leaf_first.empty()) return row.user;
  const StackEnd end = profile.end_of(row.user);
  const StackEnd whole = end == StackEnd::unknown ? end : StackEnd::root;
  const bool is_exec = profile.strings.view(profile.frame(leaf_first.front()).symbol) == exec_frame ||
                       (is_of_gone_program(profile, leaf_first) && is_in_execve(profile, profile.stack(row.kernel)));
  if (is_exec) {
    Frame frame;
    frame.space = row.process;
    frame.unnamed = Unnamed::named;
    frame.symbol = profile.strings.intern(exec_frame);
    return profile.stack(std::vector{profile.frame(frame)}, whole);
  }
  if (end == StackEnd::root) return row.user;
  const StackExtent extent = extent_of(profile, leaf_first);
  const bool may_lack_callers = end == StackEnd::guessed || end == StackEnd::no_table_yet;
  const StackEnd believed = extent.has_root && !may_lack_callers ? whole : end;
  const bool stays = extent.frames == leaf_first.size() && believed == end;
  return stays ? row.user : profile.stack(leaf_first.first(extent.frames), believed);
}

}  // namespace profile
