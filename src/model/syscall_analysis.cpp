#include "model/syscall_analysis.h"

#include <algorithm>
#include <numeric>

namespace profile {
namespace {

constexpr std::array<std::string_view, syscall_categories> names{"file_io", "memory", "process",  "signal", "ipc",
                                                                 "network", "time",   "security", "system", "other"};
struct Rule {
  std::string_view behavior;
  std::string_view text;
  bool (*applies)(const SyscallAnalysis&);
};

// The first rule that applies wins.
constexpr Rule rules[] = {
    {"io_bound", "file_io share > 0.6 and more than 100 calls a second",
     [](const SyscallAnalysis& mix) { return mix.io_intensity > 0.6 && mix.rate_per_s > 100; }},
    {"network_bound", "network share > 0.4", [](const SyscallAnalysis& mix) { return mix.network_intensity > 0.4; }},
    {"memory_bound", "memory share > 0.3", [](const SyscallAnalysis& mix) { return mix.memory_intensity > 0.3; }},
    {"cpu_bound", "fewer than 50 calls a second and more than 50 % of a CPU used",
     [](const SyscallAnalysis& mix) { return mix.rate_per_s < 50 && mix.cpu_intensity > 0.5; }},
    {"mixed", "file_io share > 0.2 and memory share > 0.1",
     [](const SyscallAnalysis& mix) { return mix.io_intensity > 0.2 && mix.memory_intensity > 0.1; }},
    {"unknown", "none of the rules applies", [](const SyscallAnalysis&) { return true; }},
};

}  // namespace

SyscallAnalysis analyse(const SyscallReport& report) {
  SyscallAnalysis mix;
  for (const SyscallUse& call : report.calls) mix.by_category[static_cast<std::size_t>(call.category)] += call.count;
  mix.total = std::accumulate(mix.by_category.begin(), mix.by_category.end(), std::uint64_t{0});
  const auto share_of = [&](SyscallCategory category) {
    const auto calls = static_cast<double>(mix.by_category[static_cast<std::size_t>(category)]);
    return mix.total == 0 ? 0 : calls / static_cast<double>(mix.total);
  };
  mix.rate_per_s = report.seconds > 0 ? static_cast<double>(mix.total) / report.seconds : 0;
  mix.cpu_intensity = report.cpus_used;
  if (report.is_partial) {
    mix.behavior = "unknown";
    mix.rule = "not all system calls were looked at";
    return mix;
  }
  mix.io_intensity = share_of(SyscallCategory::file_io);
  mix.memory_intensity = share_of(SyscallCategory::memory);
  mix.network_intensity = share_of(SyscallCategory::network);
  // A storm of calls that fail says nothing of what the programs do when they succeed.
  std::uint64_t failed = 0;
  for (const SyscallUse& call : report.calls) failed += call.failed;
  if (failed > mix.total / 2) {
    mix.behavior = "unknown";
    mix.rule = "more than half of the calls failed";
    return mix;
  }
  const Rule& rule = *std::ranges::find_if(rules, [&](const Rule& one) { return one.applies(mix); });
  mix.behavior = rule.behavior;
  mix.rule = rule.text;
  return mix;
}

std::string_view name_of(SyscallCategory category) { return names[static_cast<std::size_t>(category)]; }

std::span<const std::string_view> syscall_category_names() { return names; }

}  // namespace profile
