// What a child of ours gives up before it touches anything of a stranger's.
#pragma once

#include <cstdint>
#include <span>

#include "support/fd.h"

namespace profile {

// In a child just forked: a session of its own, nothing on the standard descriptors, all others closed but `kept`, no
// end by the signals that end a run (its parent's end is its own), unreadable for others of the same user. Afterwards
// kept[i] is descriptor 3 + i. `parent`: who forked it.
void become_child(const char* name, pid_t parent, std::span<Fd> kept) noexcept;

// Linux's own numbers (linux/capability.h).
void keep_capabilities(std::span<const int> kept) noexcept;

// For good: no capability, another user where that is permitted, memory with a limit, and no system calls but those
// that reading needs. Whoever makes another is killed.
void enter_sandbox() noexcept;

}  // namespace profile
