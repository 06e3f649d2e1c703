// The threads that end waits, as frames: text formats and flame graphs have no other place for them.
#pragma once

#include "model/profile.h"

namespace profile {

// The frame between a wait and the stack of its waker.
inline constexpr std::string_view waker_delimiter = "--";

// Whether a row knows the thread that ended its wait.
[[nodiscard]] bool has_wakers(const Profile& profile);
// Appends the wakers of the rows to their kernel stacks: after the stacks of the wait come the delimiter, the waker's
// frames from the innermost on, and its name. So the frames that met in the scheduler are neighbours, as in bcc's
// offwaketime. `profile` is symbolised; its rows have no wakers afterwards.
void append_wakers(Profile& profile);
// A copy of `profile` that is changed like this.
[[nodiscard]] Profile with_wakers_appended(const Profile& profile);

}  // namespace profile
