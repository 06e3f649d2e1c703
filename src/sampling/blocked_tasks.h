// Reads the threads that are already blocked when sampling begins, with a BPF iterator over all tasks.
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

// How many bytes of each user stack to copy when there are so many threads.
[[nodiscard]] std::size_t bytes_of_stack(std::size_t threads);
// Both take `stack`, the copied part of the task's user stack. frames_of() walks it by frame pointers and returns
// addresses, leaf first; unfinished_walk_of() makes the record of a walk that needs tables.
[[nodiscard]] std::vector<std::uint64_t> frames_of(const blocked_task& task, std::string_view stack,
                                                   std::size_t most_frames);
[[nodiscard]] std::unique_ptr<ring_unfinished> unfinished_walk_of(const blocked_task& task, std::string_view stack);

// `scan`: the loaded program of the iterator. Throws Error.
[[nodiscard]] std::vector<BlockedTask> read_blocked_tasks(const bpf_program& scan);

}  // namespace profile
