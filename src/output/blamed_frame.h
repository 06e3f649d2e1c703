// Which function of a stack is the answer. Where threads wait or allocate, the leaf is always the same: the kernel, the
// C library, the allocator or the interpreter; whoever called them can be changed.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "model/profile.h"
#include "output/library_code.h"

namespace profile {

// Whether the value of a row belongs to a caller of its leaf: in waits, calls, requests and allocations.
[[nodiscard]] bool is_blamed_on_caller(const Profile& profile, const Row& row);
// How many shown frames, and a tag, are between the leaf of the row and the function that its value belongs to: the
// first one outside kernel, libraries that everyone has and, below a script's function, interpreter
// (output/library_code.h). 0, the leaf itself: the row is of another kind, or has no such function.
[[nodiscard]] std::size_t blamed_place(const Profile& profile, const Row& row);
// The same for any row, as if it was a wait: where the program's own code is, and what stands there if it has none of
// its own. nullopt: nothing of these.
struct OwnPlace {
  std::size_t at = 0;
  LibraryCode code = LibraryCode::none;
};
[[nodiscard]] std::optional<OwnPlace> own_place(const Profile& profile, const Row& row);
// Whether an interrupt was being served. The thread that it met has then nothing to do with what was done.
[[nodiscard]] bool is_in_interrupt(const Profile& profile, StackId kernel);
// What the blamed function called when it waited or allocated: "fsync", "pthread_mutex_lock", "operator new(unsigned
// long)". Of the C library's functions it is the outermost with a name, without one the system call. Empty: not known,
// or the leaf itself is blamed. A part of `profile`. `place` is that of the blamed function.
[[nodiscard]] std::string_view call_of_blamed(const Profile& profile, const Row& row, std::size_t place);

}  // namespace profile
