// Which programs of bpf/syscalls.bpf.c are loaded for what was asked, and with which constants and sizes.
#pragma once

#include <cstdint>

#include "sampling/source.h"
#include "sampling/traced.h"

namespace profile {

// Of each of the three tables; they are emptied when there are half as many rows in all of them.
inline constexpr std::uint32_t syscall_table_rows = 65536;

// What is told of calls besides their stacks: in a stream, which shows no tables, just what each call's length needs.
[[nodiscard]] SourceOptions syscall_choice(const SamplingOptions& options);
// Whether it is looked at how calls end.
[[nodiscard]] bool wants_syscall_results(const SourceOptions& choice);
// Whether there are tables of that, which a stream does not show.
[[nodiscard]] bool keeps_syscall_results(const SamplingOptions& options);
[[nodiscard]] bool wants_syscall_stacks(const SamplingOptions& options);
// The same options for what records stacks. Without stacks its maps are as small as can be. With user stacks the
// kernel's are left out: in all of them there is just the entry to system calls.
[[nodiscard]] SamplingOptions syscall_recording(const SamplingOptions& options);
// `options` must outlive it.
[[nodiscard]] TracedPrograms::Plan syscall_plan(const SamplingOptions& options);

}  // namespace profile
