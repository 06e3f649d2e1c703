// The interface to stacks in the memory of other processes. Reading there may wait for ever, because a page may lie on
// a file system that does not answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/address.h"

namespace profile {

struct StackQuestion {
  std::uint32_t tgid = 0;
  RuntimeAddress stack_pointer;
};

class StackReader {
 public:
  virtual ~StackReader() = default;
  // copy_of_stack() for each question. Empty where there is no stack, or no answer in time.
  [[nodiscard]] virtual std::vector<std::string> stacks(std::span<const StackQuestion> questions,
                                                        std::size_t most_bytes) = 0;
};

}  // namespace profile
