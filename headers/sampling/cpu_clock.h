// The source `cpu-clock`: what runs on the CPUs, by a timer of the kernel's.
#pragma once

#include <memory>

#include "sampling/source.h"

namespace profile {

[[nodiscard]] std::unique_ptr<Source> make_cpu_clock(const SamplingOptions& options);

}  // namespace profile
