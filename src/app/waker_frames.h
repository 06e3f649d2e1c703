// Shows the thread that ended a wait (the waker) as frames. After the stacks of the wait come a delimiter, the waker's
// frames from the innermost on, and its name. So the frames that met in the scheduler are neighbours, as in bcc's
// offwaketime.
#pragma once

#include "model/profile.h"

namespace profile {

// Appends Row::waker and its stacks to the kernel stack of each row. `profile` has been symbolised.
void append_wakers(Profile& profile);

}  // namespace profile
