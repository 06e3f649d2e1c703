// Reads stacks out of the memory of other processes, where reading may wait for ever: a page of it may lie on a file
// system that does not answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "process/stack_walk.h"

namespace profile {

struct StackQuestion {
  std::uint32_t tgid = 0;
  UserRegisters registers;
};

class StackReader {
 public:
  virtual ~StackReader() = default;
  // As walk_user_stack() of each. Empty where there is none, or no answer in time.
  [[nodiscard]] virtual std::vector<std::vector<std::uint64_t>> stacks(std::span<const StackQuestion> questions,
                                                                       std::size_t max_depth) = 0;
};

}  // namespace profile
