// What a source is: something that takes samples in the kernel and lets user space drain them into a Profile. A new one
// is a .bpf.c that ends in record(), a file here and a row in the table of sources.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"
#include "support/bpf.h"
#include "support/cpu_list.h"

namespace profile {

class ProcessTimeline;
class Recorder;

struct SamplingOptions {
  std::vector<std::uint32_t> tgids;  // at most one of tgids, tids and follow_children is used
  std::vector<std::uint32_t> tids;
  bool follow_children = false;  // what this process forks from now on, with all descendants
  CpuList cpus;                  // empty: every CPU, also those that come online later
  std::string cgroup_path;       // "" for the next three: no such filter
  std::string cgroup_map_path;
  std::string mntns_map_path;
  bool include_idle = false;
  bool user_stacks = true;
  bool kernel_stacks = true;
  std::uint64_t frequency_hz = 49;  // 0: by count
  std::uint64_t period_events = 0;  // 0: by frequency
  std::uint32_t histogram_entries = 40960;
  std::uint32_t stack_entries = 16384;
  std::uint32_t max_stack_depth = 127;
};

class Source {
 public:
  virtual ~Source() = default;
  // Arms it on the online CPUs. From here on samples are taken.
  virtual void start() = 0;
  // After it returns no sample is taken any more, and none is under way.
  virtual void stop() = 0;
  // CPUs came or went. Nothing happens for those not asked for.
  virtual void set_cpus(const CpuList& online) = 0;
  virtual Recorder& recorder() = 0;
  // Runs and nanoseconds of its programs, by the kernel's own count; zero runs when that is not available.
  [[nodiscard]] virtual BpfCost cost() const = 0;
};

struct SourceKind {
  std::string_view name;  // of the event
  std::string_view unit;  // of a row's value
  std::string_view summary;
  std::unique_ptr<Source> (*make)(const SamplingOptions&);
};

// THE table of sources. The first row is the default.
[[nodiscard]] std::span<const SourceKind> source_kinds();

}  // namespace profile
