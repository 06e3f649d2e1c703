// Sizes, constants and filters of the maps in bpf/record.bpf.h: they are set between opening and loading, because the
// verifier removes the code of what is off.
#pragma once

#include <cstdint>

#include "sampling/source.h"
#include "support/bpf.h"

namespace profile {

// Whether `options` need the variant of a program that reads kernel structures (not PROFILE_LEAN).
[[nodiscard]] bool needs_kernel_types(const SamplingOptions& options);

// What follows from the source and not from the command line.
struct RecorderConfig {
  bool weighted = false;      // values are not always 1
  std::uint64_t rate_hz = 0;  // samples a second on each CPU; 0: not known
  bool filter_cpu = false;    // its programs run on every CPU, whatever they are attached to
  // What the profiler does itself is filtered: reading the samples would cause more of them than it reads.
  bool without_self = false;
};

// With maps no larger than samples at `rate_hz` on each of `cpus` fill in a while, unless the user has said how large:
// the kernel needs longer to make and to clear the largest than a short run takes. 0: the rate is not known, and the
// sizes stay.
[[nodiscard]] SamplingOptions sized_for_rate(SamplingOptions options, std::uint64_t rate_hz, int cpus);

// Between opening and loading: the sizes of the maps, the constants of the programs, and the pinned maps of filters in
// the place of ours. Throws Error for a filter that cannot be used.
void prepare_recording(bpf_object& object, const SamplingOptions& options, const RecorderConfig& recording = {});
// After loading: the filters' contents. Throws Error likewise.
void fill_filters(bpf_object& object, const SamplingOptions& options);

}  // namespace profile
