// The output of `perf script`, which many tools read: one paragraph per event, with its frames below it, leaf first.
//   dd  185/187 [001] 1700000000.000000042:          1 cpu-clock:
//           ffffffff81200010 vfs_read+0x10 ([kernel.kallsyms])
//               555500001010 main+0x10 (/usr/bin/dd)
// The output format and the stream format share this code. perf has no place for some data, so it is put where it does
// no harm: the unit in a comment, Row::tag as a leaf frame in ([tag]), and a missed stack as a frame without an
// address.
#pragma once

#include <cstdint>
#include <string>

#include "model/profile.h"
#include "output/shown_frame.h"

namespace profile {

class PerfScript {
 public:
  // Writes the comments before all events. perf's header lines around them tell readers which format this is.
  void begin(std::string& out, const RunInfo& run);

  struct Event {
    const Row* row = nullptr;
    std::uint32_t tid = 0;
    std::uint32_t cpu = any_cpu;  // any_cpu: not known
    std::uint64_t time_ns = 0;
    std::uint64_t period = 0;
  };
  void append(std::string& out, const Profile& profile, const Event& event);
  // The next events belong to another profile.
  void forget();

 private:
  std::string event_;  // name of the event, as one word
  KeptTexts names_;
  KeptTexts stacks_;
};

}  // namespace profile
