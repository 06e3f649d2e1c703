// The threads that are blocked already when sampling begins, by way of a BPF iterator over all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "abi/off_cpu.h"
#include "abi/walk.h"

struct bpf_program;

namespace profile {

struct BlockedTask {
  blocked_task task{};
  std::vector<std::uint64_t> kernel;  // its kernel stack, leaf first
};

// How much is copied of each stack, of so many threads.
[[nodiscard]] std::size_t bytes_of_stack(std::size_t threads);
// The task's user stack, of which `stack` is what was copied: along its frame pointers, or to be finished by tables.
[[nodiscard]] std::vector<std::uint64_t> frames_of(const blocked_task& task, std::string_view stack,
                                                   std::size_t most_frames);
[[nodiscard]] std::unique_ptr<ring_unfinished> unfinished_walk_of(const blocked_task& task, std::string_view stack);

// `scan`: the loaded program of the iterator. Throws Error.
[[nodiscard]] std::vector<BlockedTask> read_blocked_tasks(const bpf_program& scan);

}  // namespace profile
