// The innermost frames in the kernel stack of a traced function belong to the tracing itself: our BPF program and its
// callers. These functions remove them, because users do not want to see them.
#pragma once

#include "model/profile.h"

namespace profile {

// The stack without these frames. `profile` has been symbolised. If the kernel's names are hidden, the stack stays
// unchanged.
[[nodiscard]] StackId without_tracing_frames(Profile& profile, StackId kernel);
// The same for all rows.
void remove_tracing_frames(Profile& profile);

}  // namespace profile
