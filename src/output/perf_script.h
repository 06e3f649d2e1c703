// What `perf script` prints, which tools of many makers read: an event a paragraph, its frames below it, leaf first.
//   dd  185/187 [001] 1700000000.000000042:          1 cpu-clock:
//           ffffffff81200010 vfs_read+0x10 ([kernel.kallsyms])
//               555500001010 main+0x10 (/usr/bin/dd)
// The format and the form of the stream have this in common. What perf has no word for stands where it does no harm:
// the unit in a comment, what the source puts at the leaf (Row::tag) as a frame in ([tag]), a stack that could not be
// taken as a frame without an address.
#pragma once

#include <cstdint>
#include <string>

#include "model/profile.h"
#include "output/shown_frame.h"

namespace profile {

class PerfScript {
 public:
  // The comments in front of all events, in the frame that tells readers what they read.
  void begin(std::string& out, const RunInfo& run);

  struct Event {
    const Row* row = nullptr;
    std::uint32_t tid = 0;
    std::uint32_t cpu = any_cpu;  // not known
    std::uint64_t time_ns = 0;
    std::uint64_t period = 0;
  };
  void append(std::string& out, const Profile& profile, const Event& event);
  // The next are of another profile.
  void forget();

 private:
  void append_stack(std::string& out, const Profile& profile, StackId stack, std::string_view missed,
                    std::string_view missed_in);

  std::string event_;  // its name, as a word
  KeptTexts names_;
  KeptTexts stacks_;
};

}  // namespace profile
