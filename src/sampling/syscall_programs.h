// Chooses which programs of bpf/syscalls.bpf.c are loaded for the user's options, with which constants and map sizes.
#pragma once

#include <cstdint>

#include "sampling/source.h"
#include "sampling/traced.h"

namespace profile {

// The size of each of the three tables. User space empties them when all three together have half as many rows.
inline constexpr std::uint32_t syscall_table_rows = 65536;

// What to measure of calls besides their stacks. Without tables by_process and failed are off.
[[nodiscard]] SourceOptions syscall_choice(const SamplingOptions& options);
// True if the BPF programs also look at the ends of calls.
[[nodiscard]] bool wants_syscall_results(const SourceOptions& choice);
// True if there are tables of how calls end. None without SamplingOptions::rows.
[[nodiscard]] bool keeps_syscall_results(const SamplingOptions& options);
[[nodiscard]] bool wants_syscall_stacks(const SamplingOptions& options);
// True if the stacks are those of calls that fail, and of no others.
[[nodiscard]] bool takes_failed_syscalls(const SamplingOptions& options);
// True if the stacks are weighted by the time of their calls.
[[nodiscard]] bool times_syscall_stacks(const SamplingOptions& options);
// The options for recording stacks. Without stacks the maps are as small as possible. With user stacks the kernel
// stacks are left out, because all of them show only the entry to system calls.
[[nodiscard]] SamplingOptions syscall_recording(const SamplingOptions& options);
[[nodiscard]] TracedPrograms::Plan syscall_plan(const SamplingOptions& options);

}  // namespace profile
