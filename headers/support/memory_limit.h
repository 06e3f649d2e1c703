// How much memory this process and its relatives may have together. The kernel counts its own tables for BPF programs,
// too, and kills whoever goes beyond it.
#pragma once

#include <cstdint>
#include <string>

namespace profile {

// In bytes, the least limit of this process's cgroup and of those above it; UINT64_MAX: none is known. The arguments
// are for tests.
[[nodiscard]] std::uint64_t memory_limit_bytes(const std::string& groups_of_process = "/proc/self/cgroup",
                                               const std::string& hierarchies = "/sys/fs/cgroup");

}  // namespace profile
