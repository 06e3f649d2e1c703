// The threads that are blocked already when sampling begins, by way of a BPF iterator over all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "abi/off_cpu.h"

struct bpf_program;

namespace profile {

struct BlockedTask {
  blocked_task task{};
  std::vector<std::uint64_t> kernel;  // its kernel stack, leaf first
};

// `scan`: the loaded program of the iterator. Throws Error.
[[nodiscard]] std::vector<BlockedTask> read_blocked_tasks(const bpf_program& scan);

}  // namespace profile
