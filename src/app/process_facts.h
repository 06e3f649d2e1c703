// What a recording keeps of a process besides its name.
#pragma once

#include <cstdint>

#include "process/timeline.h"
#include "recording/recording.h"

namespace profile {

// The cgroup is unknown if the process has ended.
[[nodiscard]] ProcessFacts facts_of(const ProcessTimeline& timeline, std::uint32_t tgid, std::uint32_t image,
                                    bool is_new);

}  // namespace profile
