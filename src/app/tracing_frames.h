// The innermost frames in the kernel stack of a traced function belong to the tracing itself: our BPF program and its
// callers. These functions remove them, because users do not want to see them.
#pragma once

#include "model/profile.h"

namespace profile {

// The stack without these frames. `profile` has been symbolised. If the kernel's names are hidden, the stack stays
// unchanged.
[[nodiscard]] StackId without_tracing_frames(Profile& profile, StackId kernel);
// The kernel stack as it is shown. `is_traced`: without the frames above. A stack that is nothing but the kernel's own
// walk of stacks becomes `missed`: with frame pointers the kernel's unwinder at times begins in itself and stops there.
[[nodiscard]] StackId shown_kernel_stack(Profile& profile, StackId kernel, bool is_traced);
// The same for all rows.
void keep_shown_kernel_stacks(Profile& profile, bool is_traced);

}  // namespace profile
