// The kernel stack of a traced function begins with the frames of the tracing itself: our program and what called it.
// Nobody asked for those.
#pragma once

#include "model/profile.h"

namespace profile {

// The stack without them. `profile` has been symbolised; where the kernel's names are hidden the stack stays as it is.
[[nodiscard]] StackId without_tracing_frames(Profile& profile, StackId kernel);
// The same for all rows.
void remove_tracing_frames(Profile& profile);

}  // namespace profile
