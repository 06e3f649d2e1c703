// Finishes walks of stacks whose frames are known. Define WALK_OF_X86_64 or WALK_OF_ARM64 before it.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "sampling/walk_in_copy.h"
// The stacks follow the architecture of the walk.
#include "made_stack.h"

using namespace profile;

namespace {

// What the BPF program sends when it has no table for frame `number` (0: the leaf).
std::unique_ptr<ring_unfinished> begun_at(const WalkedProgram& program, const MadeStack& stack,
                                          const MadeStack::Frame& frame, std::size_t number) {
  auto begun = std::make_unique<ring_unfinished>();
  begun->stuck.pc = frame.pc;
  begun->stuck.sp = frame.sp;
  begun->stuck.fp = frame.fp;
  begun->stuck.extra = frame.extra;
  begun->stuck.depth = static_cast<__u32>(number + 1);
  begun->stuck.was_interrupted = frame.was_interrupted ? 1 : 0;
  begun->start_stack = MadeStack::start;
  for (std::uint32_t i = 0; i < REGISTERS; ++i) begun->innermost[i] = stack.register_of(i);
  begun->bytes = static_cast<__u32>(std::min<std::uint64_t>(MadeStack::start - frame.sp, UNFINISHED_MOST_BYTES - 8));
  CHECK(program.read(begun->stack, begun->bytes, frame.sp));
  return begun;
}

void finish_made_stacks() {
  std::mt19937 random(7);
  for (std::uint32_t round = 0; round < 300; ++round) {
    CAPTURE(round);
    WalkedProgram program(UNIT_SHIFT);
    MadeStack stack(program, round);
    const std::vector<MadeStack::Frame> frames = call_many(stack, random, 15);
    for (std::size_t number = 0; number < frames.size(); ++number) {
      CAPTURE(number);
      const FinishedWalk finished =
          finish_in_copy(*begun_at(program, stack, frames[number], number), program, false, 512);
      std::vector<std::uint64_t> callers;
      bool is_guessed = false;
      for (std::size_t i = number; i < frames.size(); ++i) {
        if (i > number) callers.push_back(frames[i].shown());
        // The code before the return address is not in the copy.
        is_guessed |= frames[i].way == Way::pointer_only;
      }
      CHECK(finished.callers == callers);
      CHECK(finished.end == WALK_ROOT);
      CHECK(finished.is_guessed == is_guessed);
      CHECK_FALSE(finished.is_waiting);
    }
  }
}

}  // namespace
