// Which program ran under which number when, and what it had mapped: kept from before the first sample, so that a
// process that is long gone still has names (promise 4). Fed by the kernel's side-band records and one pass over /proc.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "model/address.h"
#include "model/profile.h"
#include "process/code_file.h"
#include "support/cpu_list.h"

namespace profile {

// Where an address of a process lies.
struct CodeLocation {
  enum class Kind : std::uint8_t {
    file,     // `file` and `offset` say where
    vdso,     // the kernel's page of code; `offset` counts from its start
    jit,      // executable memory without a file (anonymous, memfd, [anon:…]): a perf map may name it
    nowhere,  // the process is known and nothing is mapped there
    unknown   // nothing is known of the process: it was gone before it could be looked at
  };
  Kind kind = Kind::unknown;
  CodeFile* file = nullptr;  // owned by the timeline; valid as long as it
  FileOffset offset;
};

struct TimelineOptions {
  // Only these are of interest (their mappings are kept); empty: everybody. A thread's id stands for its process.
  std::vector<std::uint32_t> tgids;
};

// Counters for the summary and for -v.
struct TimelineStatus {
  std::uint64_t records = 0;
  std::uint64_t lost_records = 0;
  std::uint64_t processes = 0;
  std::uint64_t files = 0;
  std::uint64_t open_files = 0;
  std::uint64_t repairs = 0;  // passes over /proc because records were lost
};

class ProcessTimeline {
 public:
  // Opens the side-band events on `cpus` (the online ones). Throws Error when the kernel refuses.
  ProcessTimeline(const TimelineOptions& options, const CpuList& cpus);
  ~ProcessTimeline();

  // A CPU came online or went away.
  void set_cpus(const CpuList& online);
  // An epoll descriptor, readable when the side-band records want reading.
  [[nodiscard]] int poll_fd() const;
  // Reads the side-band records that have arrived. Called when poll_fd() is readable and before every drain of samples.
  // (image_at() calls it for a sample younger than the last call, so the order of the two is not critical.)
  void update();
  // One pass over /proc, for the processes that were there before us. Called once, after sampling was armed.
  void scan_proc();

  // The number of the program image under which `tgid` ran at `time_ns` (CLOCK_MONOTONIC). A new image begins with each
  // exec, with each reuse of the number, and when code is mapped over other code (dlclose and dlopen), so that within
  // one image an address means one thing. Images count from 1; 0 when nothing is known.
  [[nodiscard]] std::uint32_t image_at(std::uint32_t tgid, std::uint64_t time_ns);
  // comm of its main thread in that image, the latest it gave itself; "" when not known. Valid until the next update().
  [[nodiscard]] std::string_view name_of(std::uint32_t tgid, std::uint32_t image) const;
  [[nodiscard]] CodeLocation locate(std::uint32_t tgid, std::uint32_t image, RuntimeAddress address);
  // Forgets the images that ended before `time_ns`: for runs of any length, once their samples have been named.
  // A file stays as long as a process has it mapped and, unless it is deleted, a while longer, so no CodeFile is good
  // beyond this call but one of the same number. No image's number is used twice for one tgid.
  void forget_before(std::uint64_t time_ns);
  [[nodiscard]] TimelineStatus status() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace profile
