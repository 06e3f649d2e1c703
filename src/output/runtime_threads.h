// The threads that the runtime of a language keeps for itself: compilers, collectors, timers. They wait for work all
// the time, as kernel threads do, and hide the waits of the program.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "model/profile.h"

namespace profile {

class RuntimeThreads {
 public:
  // `profile` must be symbolised. A thread is the runtime's own where all its stacks are whole and in an interpreter
  // without a function of a script, while other threads of its process have such functions.
  explicit RuntimeThreads(const Profile& profile);

  [[nodiscard]] bool empty() const { return own_.empty(); }
  [[nodiscard]] bool has(std::uint32_t tgid, StringId thread_name) const { return own_.contains({tgid, thread_name}); }

 private:
  std::set<std::pair<std::uint32_t, StringId>> own_;
};

}  // namespace profile
