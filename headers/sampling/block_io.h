// The source `block-io`: how long requests to block devices take, and who made them.
#pragma once

#include <memory>

#include "sampling/source.h"

namespace profile {

[[nodiscard]] std::unique_ptr<Source> make_block_io(const SamplingOptions& options);

}  // namespace profile
