// The source `futex`: who waits for locks and the like, how long, and for which.
#pragma once

#include <memory>

#include "sampling/source.h"

namespace profile {

[[nodiscard]] std::unique_ptr<Source> make_futex(const SamplingOptions& options);

}  // namespace profile
