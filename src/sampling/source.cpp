// What a source does unless it has reason to do more.
#include "sampling/source.h"

#include "sampling/recorder.h"

namespace profile {

void Source::collect(ProcessTimeline& timeline, Profile& into, bool stopped) {
  recorder().drain(timeline, into, stopped);
}

std::uint64_t Source::pending_samples() { return recorder().pending_account().taken; }

}  // namespace profile
