// Sets the sizes, constants and filters of the maps in bpf/record.bpf.h. Most are set between opening and loading, so
// that the verifier removes the code of what is off.
#pragma once

#include <cstdint>

#include "sampling/source.h"
#include "support/bpf.h"

namespace profile {

// True if `options` need the variant of a BPF program that reads kernel structures (not PROFILE_LEAN).
[[nodiscard]] bool needs_kernel_types(const SamplingOptions& options);

// The inode of this process's pid namespace, whose ids the user types and reads. 0 for the machine's initial namespace,
// and when it cannot be read.
[[nodiscard]] std::uint32_t inner_pid_namespace();

// What depends on the source and not on the command line.
struct RecorderConfig {
  bool weighted = false;      // sample values are not always 1
  std::uint64_t rate_hz = 0;  // samples a second on each CPU; 0: not known
  bool filter_cpu = false;    // the BPF programs run on every CPU and must themselves check the CPU
  // Filters what the profiler does: otherwise reading the samples causes more samples than it reads.
  bool without_self = false;
};

// Limits the maps to what samples at `rate_hz` on each of `cpus` can fill in a while, unless the user gave the sizes.
// Otherwise making and clearing the largest maps takes the kernel longer than a short run. 0: the rate is not known,
// and the sizes stay.
[[nodiscard]] SamplingOptions sized_for_rate(SamplingOptions options, std::uint64_t rate_hz, int cpus);

// Limits the maps to a part of the memory that there is, unless the user gave the sizes: the kernel would otherwise
// kill this process. What they cannot hold goes through the ring.
[[nodiscard]] SamplingOptions sized_for_memory(SamplingOptions options, std::uint64_t limit_bytes);

// Call it between opening and loading. It sets the sizes of the maps and the constants of the programs, and puts in the
// pinned maps of the filters. Throws Error for a filter that cannot be used.
void prepare_recording(bpf_object& object, const SamplingOptions& options, const RecorderConfig& recording = {});
// Call it after loading: it writes the contents of the filters. Throws Error likewise.
void fill_filters(bpf_object& object, const SamplingOptions& options);

}  // namespace profile
