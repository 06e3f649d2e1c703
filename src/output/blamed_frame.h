// Which function of a stack is the answer. Where threads wait or allocate, the leaf is always the same: the kernel, the
// C library, the allocator or the interpreter; whoever called them can be changed.
#pragma once

#include <cstddef>

#include "model/profile.h"

namespace profile {

// Whether the value of a row belongs to a caller of its leaf: in waits, calls, requests and allocations.
[[nodiscard]] bool is_blamed_on_caller(const Profile& profile, const Row& row);
// How many shown frames, and a tag, are between the leaf of the row and the function that its value belongs to: the
// first one outside kernel, C library, allocator and, below a script's function, interpreter. 0, the leaf itself: the
// row is of another kind, or has no such function.
[[nodiscard]] std::size_t blamed_place(const Profile& profile, const Row& row);

}  // namespace profile
