#include "app/stack_edits.h"

#include <algorithm>
#include <vector>

#include "model/stack_roots.h"

namespace profile {
namespace {

// Only this many innermost frames are searched: the way from a tracepoint to a BPF program is short.
constexpr std::size_t deepest = 12;

// The beginnings of the names of functions between a traced function and a BPF program (kernel/trace/bpf_trace.c,
// kernel/events/core.c, include/trace/).
constexpr std::string_view beginnings[] = {
    "bpf_prog_",         "bpf_trace_run",       "__bpf_trace_",        "__traceiter_",           "trace_call_bpf",
    "perf_trace_",       "bpf_trampoline_",     "perf_call_bpf_enter", "perf_call_bpf_exit",     "perf_syscall_",
    "bpf_get_stackid",   "bpf_get_stack",       "__bpf_prog_",         "trace_event_raw_event_", "syscall_trace_enter",
    "syscall_exit_work", "trace_syscall_enter", "trace_syscall_exit"};

// The functions with which the kernel walks its own stack (arch/x86/kernel/unwind_frame.c, arch/x86/events/core.c).
constexpr std::string_view walkers[] = {"__unwind_start", "perf_callchain_kernel", "get_perf_callchain"};

}  // namespace

StackId without_tracing_frames(Profile& profile, StackId kernel) {
  const std::span<const FrameId> leaf_first = profile.stack(kernel);
  std::size_t skip = 0;
  for (std::size_t i = 0; i < std::min(deepest, leaf_first.size()); ++i) {
    const std::string_view name = profile.strings.view(profile.frame(leaf_first[i]).symbol);
    const auto begins_name = [name](std::string_view beginning) { return name.starts_with(beginning); };
    if (std::ranges::any_of(beginnings, begins_name)) skip = i + 1;
  }
  if (skip == 0) return kernel;
  const std::vector<FrameId> rest(leaf_first.begin() + static_cast<std::ptrdiff_t>(skip), leaf_first.end());
  return profile.stack(rest);
}

StackId shown_kernel_stack(Profile& profile, StackId kernel, bool is_traced) {
  if (is_traced) kernel = without_tracing_frames(profile, kernel);
  const std::span<const FrameId> frames = profile.stack(kernel);
  const bool is_walk = std::ranges::all_of(frames, [&](FrameId id) {
    return std::ranges::count(walkers, profile.strings.view(profile.frame(id).symbol)) != 0;
  });
  return is_walk && !frames.empty() ? StackId::missed : kernel;
}

void StackEdits::apply(Profile& profile, Row& row) {
  const auto [shown, is_new] = shown_.try_emplace(row.kernel, row.kernel);
  if (is_new) shown->second = shown_kernel_stack(profile, row.kernel, is_traced_);
  row.kernel = shown->second;
  row.waker_kernel = without_tracing_frames(profile, row.waker_kernel);
  row.user = believable_user_stack(profile, row);
}

void StackEdits::apply(Profile& profile) {
  profile.change_rows([&](Row& row) { apply(profile, row); });
}

void StackEdits::forget() { shown_.clear(); }

}  // namespace profile
