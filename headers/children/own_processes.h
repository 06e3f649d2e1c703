// The only way in which this program makes a child process, unless the child becomes another program, and the list of
// those that run, so that a run can leave them out together with the profiler.
#pragma once

#include <sys/types.h>

#include <functional>
#include <span>
#include <vector>

#include "children/kinds.h"
#include "support/fd.h"

namespace profile {

struct OwnProcess {
  pid_t pid = 0;  // only to be shown and to be looked up: another process may get it
  Fd process;
};

// Returns the exit status of the child; exceptions end it.
using ChildWork = std::function<int(std::vector<Fd> kept)>;

// Forks a child that runs `work` with the descriptors `kept`, which are 3, 4, … there, and nothing else open. It has a
// session of its own and nothing on the standard descriptors. The signals that end a run do not end it: it ends when
// its parent ends. Other processes of the same user cannot read it. Throws Error.
[[nodiscard]] OwnProcess fork_child(ChildKind kind, std::span<Fd> kept, const ChildWork& work);

// A child of this process or of the keeper, which is listed until it ends.
void list_own_process(const OwnProcess& child);
[[nodiscard]] std::vector<pid_t> own_processes();

}  // namespace profile
