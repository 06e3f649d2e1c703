// Describes a program by its system calls: shares by category, a rate, and one word with the rule that gave it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/measures.h"

namespace profile {

struct SyscallAnalysis {
  std::uint64_t total = 0;
  std::array<std::uint64_t, syscall_categories> by_category{};
  double rate_per_s = 0;
  double io_intensity = 0;       // share of file_io calls, 0 to 1; 0 for a partial report
  double memory_intensity = 0;   // the same for memory
  double network_intensity = 0;  // the same for network
  double cpu_intensity = 0;      // SyscallReport::cpus_used: 1.0 is one CPU all the time
  std::string_view behavior;     // "io_bound", "network_bound", "memory_bound", "cpu_bound", "mixed", "unknown"
  std::string_view rule;         // the rule in words: "file_io share > 0.6 and more than 100 calls a second"
};

[[nodiscard]] SyscallAnalysis analyse(const SyscallReport& report);
// "file_io"
[[nodiscard]] std::string_view name_of(SyscallCategory category);
// All names, by category.
[[nodiscard]] std::span<const std::string_view> syscall_category_names();

}  // namespace profile
