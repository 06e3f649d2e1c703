// Makes ticks for the live view: profiles whose functions are numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/profile.h"
#include "support/clock.h"

namespace profile::test {

struct LiveStack {
  std::vector<int> leaf_first;  // the functions "f1", "f2"...
  std::uint64_t value = 1;
  std::uint32_t tgid = 185;
};

// The samples of the second before `end_s` (in seconds since 1970). The machine started in 1970.
inline std::unique_ptr<Profile> live_tick(std::uint64_t end_s, const std::vector<LiveStack>& stacks) {
  auto profile = std::make_unique<Profile>();
  profile->began_unix_ns = profile->began_ns = (end_s - 1) * 1'000'000'000;
  profile->duration_ns = 1'000'000'000;
  for (const LiveStack& stack : stacks) {
    const ProcessId process = profile->process(stack.tgid, 0, "dd");
    std::vector<FrameId> frames;
    for (const int function : stack.leaf_first) {
      const FrameId id =
          profile->frame(process, FrameKind::user, {0x1000U + static_cast<unsigned>(function)}, !frames.empty());
      Frame& frame = profile->frames()[static_cast<std::size_t>(id)];
      frame.unnamed = Unnamed::named;
      frame.symbol = profile->strings.intern("f" + std::to_string(function));
      frame.module = profile->strings.intern("dd");
      frames.push_back(id);
    }
    Row row;
    row.process = process;
    row.tid = stack.tgid;
    row.cpu = 0;
    row.thread_name = profile->strings.intern("dd");
    row.user = profile->stack(frames);
    row.value = row.samples = stack.value;
    profile->add(row);
    profile->account.taken += stack.value;
    profile->account.recorded += stack.value;
  }
  return profile;
}

// A tick that begins now.
inline std::unique_ptr<Profile> live_tick_of_now(const std::vector<LiveStack>& stacks) {
  auto profile = live_tick(2, stacks);
  profile->began_ns = monotonic_ns();
  profile->began_unix_ns = profile->began_ns + unix_offset_ns();
  return profile;
}

}  // namespace profile::test
