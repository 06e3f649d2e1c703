// The prober: makes the perf events of user probes. For that the kernel reads the probed file, which may take for ever.
#pragma once

#include <cstdint>

#include "support/fd.h"

namespace profile {

// What it says of a question, in this order.
enum class ProberWord : std::uint8_t {
  has_read,  // the file: what follows waits for the kernel alone
  done,      // errno or, with a 0, the event's descriptor
  count
};

// Never returns. `questions`: from the main process, each a tag and a UserProbe; `files`: descriptors from the opener,
// each with its tag.
[[noreturn]] void run_prober(Fd questions, Fd files);

}  // namespace profile
