// Takes from a child everything that it does not need, before it touches a stranger's file.
#pragma once

#include <span>

#include "support/fd.h"

namespace profile {

// Call it in a child that was just forked. The child gets its own session and nothing on the standard descriptors. All
// other descriptors except `kept` are closed; afterwards kept[i] is descriptor 3 + i.
// The signals that end a run do not end the child: it ends when its parent ends. Other processes of the same user
// cannot read it. `parent`: the process that forked it.
void become_child(const char* name, pid_t parent, std::span<Fd> kept) noexcept;

// Drops all capabilities except `kept`, which are Linux's own numbers (linux/capability.h).
void keep_capabilities(std::span<const int> kept) noexcept;

// The user that the fetcher becomes, so that it can neither read nor write what belongs to others.
inline constexpr unsigned fetcher_uid = 2'130'706'434;
// Cannot be undone. The process has no capability, is that user where this is permitted, and its files and memory have
// limits: a server may send without an end. When the parent ends, it gets SIGTERM for `end`, not SIGKILL: gigabytes of
// a file that was coming would stay in the cache.
void become_fetcher(void (*end)(int)) noexcept;

// Cannot be undone. The process has no capability, another user where that is permitted, a memory limit, and only the
// system calls that reading needs. Another system call kills it.
void enter_sandbox() noexcept;

}  // namespace profile
