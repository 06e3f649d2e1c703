// Makes of each kernel stack the one that is shown: without the frames of the tracing itself, and with the thread that
// ended a wait.
#pragma once

#include "model/profile.h"

namespace profile {

// `profile` has been symbolised.

// The innermost frames in the kernel stack of a traced function belong to the tracing itself: our BPF program and its
// callers. Returns the stack without them, because users do not want to see them. If the kernel's names are hidden, the
// stack stays unchanged.
[[nodiscard]] StackId without_tracing_frames(Profile& profile, StackId kernel);
// The kernel stack as it is shown. `is_traced`: without the frames above. A stack that is nothing but the kernel's own
// walk of stacks becomes `missed`: with frame pointers the kernel's unwinder at times begins in itself and stops there.
[[nodiscard]] StackId shown_kernel_stack(Profile& profile, StackId kernel, bool is_traced);
// The same for all rows.
void keep_shown_kernel_stacks(Profile& profile, bool is_traced);
// Appends Row::waker, the thread that ended a wait, and its stacks to the kernel stack of each row. After the stacks of
// the wait come a delimiter, the waker's frames from the innermost on, and its name. So the frames that met in the
// scheduler are neighbours, as in bcc's offwaketime.
void append_wakers(Profile& profile);

}  // namespace profile
