// The only way in which this program makes a child process for work of its own.
#pragma once

#include <sys/types.h>

#include <functional>
#include <span>
#include <vector>

#include "children/kinds.h"
#include "support/fd.h"

namespace profile {

struct ForkedChild {
  pid_t pid = 0;
  Fd process;
};

// Returns the exit status of the child; exceptions end it.
using ChildWork = std::function<int(std::vector<Fd> kept)>;

// Forks a child that runs `work` with the descriptors `kept`, which are 3, 4, … there, and nothing else open. It has a
// session of its own and nothing on the standard descriptors. The signals that end a run do not end it: it ends when
// its parent ends. Other processes of the same user cannot read it. Throws Error.
[[nodiscard]] ForkedChild fork_child(ChildKind kind, std::span<Fd> kept, const ChildWork& work);

}  // namespace profile
