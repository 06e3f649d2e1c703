// Who ended a wait, as frames: behind the wait's own stacks a delimiter, then the waker's from the innermost on, and
// its name. So the two who met in the scheduler stand next to each other, as in bcc's offwaketime.
#pragma once

#include "model/profile.h"

namespace profile {

// Makes what Row::waker and its stacks say a part of the kernel stack. Of names that have been found out.
void append_wakers(Profile& profile);

}  // namespace profile
