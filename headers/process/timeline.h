// Which program ran under which number when, and what it had mapped: kept from before the first sample, so that a
// process that is long gone still has names (promise 4). Fed by the kernel's side-band records and one pass over /proc.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/address.h"
#include "model/profile.h"
#include "process/code_file.h"
#include "support/cpu_list.h"

namespace profile {

class FileKeeper;

// Where an address of a process lies.
struct CodeLocation {
  enum class Kind : std::uint8_t {
    file,  // `file` and `offset` say where
    vdso,  // the kernel's page of code; `offset` counts from its start
    jit,  // executable memory without a file (anonymous, [anon:…], a memfd that is no program): a perf map may name it
    nowhere,  // the process is known and nothing is mapped there
    unknown   // nothing is known of the process: it was gone before it could be looked at
  };
  Kind kind = Kind::unknown;
  CodeFile* file = nullptr;  // owned by the timeline; valid as long as it
  FileOffset offset;
};

// How long files that were not opened yet are waited for. Longer than whoever opens them waits until he knows that one
// does not answer.
constexpr std::chrono::milliseconds patience_with_files{1300};

struct TimelineOptions {
  // Only these are of interest (their mappings are kept); empty: everybody. A thread's id stands for its process.
  std::vector<std::uint32_t> tgids;
  // This one and whoever descends from it are, too; a command, which is our own program until its exec.
  std::optional<std::uint32_t> command;
  bool command_from_exec = true;  // what it does before is of no interest
};

// Counters for the summary and for -v.
struct TimelineStatus {
  std::uint64_t records = 0;
  std::uint64_t lost_records = 0;
  std::uint64_t processes = 0;
  std::uint64_t files = 0;
  std::uint64_t open_files = 0;
  std::uint64_t repairs = 0;  // passes over /proc because records were lost
  std::uint64_t skipped = 0;  // records of processes that map code without end, whose maps were read instead
  double late_s = 0;          // by which records were read later than at once, so as not to cost too much
};

class ProcessTimeline {
 public:
  // Opens the side-band events on `cpus` (the online ones). Throws Error when the kernel refuses. `keeper` opens the
  // files that are mapped, and must outlive this.
  ProcessTimeline(const TimelineOptions& options, const CpuList& cpus, FileKeeper& keeper);
  ~ProcessTimeline();

  // A CPU came online or went away.
  void set_cpus(const CpuList& online);
  // An epoll descriptor, readable when the side-band records want reading.
  [[nodiscard]] int poll_fd() const;
  // Reads the side-band records that have arrived. Called when poll_fd() is readable and before every drain of samples.
  // (image_at() calls it for a sample younger than the last call, so the order of the two is not critical.)
  void update();
  // How long to wait for it once poll_fd() is readable: what is read together costs less.
  [[nodiscard]] double update_delay_s();
  // One pass over /proc, for the processes that were there before us. Called once, after sampling was armed.
  void scan_proc();

  // The number of the program image under which `tgid` ran at `time_ns` (CLOCK_MONOTONIC). A new image begins with each
  // exec, with each reuse of the number, and when code is mapped over other code (dlclose and dlopen), so that within
  // one image an address means one thing. Images count from 1; 0 when nothing is known.
  [[nodiscard]] std::uint32_t image_at(std::uint32_t tgid, std::uint64_t time_ns);
  // comm of its main thread in that image, the latest it gave itself; "" when not known. Valid until the next update().
  [[nodiscard]] std::string_view name_of(std::uint32_t tgid, std::uint32_t image) const;
  [[nodiscard]] CodeLocation locate(std::uint32_t tgid, std::uint32_t image, RuntimeAddress address) const;
  // The jitdump that it has mapped, as its run-time does so that profilers find it; null: none.
  [[nodiscard]] CodeFile* jit_dump_of(std::uint32_t tgid, std::uint32_t image) const;
  // Whether nothing of that image is there, and the program that its exec replaced had code there.
  [[nodiscard]] bool is_of_replaced_program(std::uint32_t tgid, std::uint32_t image, RuntimeAddress address) const;
  // The keeper has answered.
  void take_file_answers();
  // Before anything is located, to be read: until it is known which of the mapped files are others than before, at most
  // `patience`.
  void settle_doubts(std::chrono::milliseconds patience);
  // Before `files` are read: until it is known of each whether it can be, together at most `patience` (CodeFiles).
  void settle(std::span<CodeFile* const> files, std::chrono::milliseconds patience);
  // Whether files (CodeFile::is_leaving()) or perf maps are open of which nobody has had any use for most of a second:
  // they are to be closed once what was sampled in them is named. To be asked a few times a second.
  [[nodiscard]] bool any_leaving();
  // That of a process that has ended; it was read, or is to be.
  [[nodiscard]] bool is_perf_map_leaving(std::uint32_t tgid) const;
  // Closes them.
  void let_go();
  // Forgets the images that ended before `time_ns`: for runs of any length, once their samples have been named.
  // What is known of a file stays as long as a process has it mapped and, unless it is deleted, a while longer, so no
  // CodeFile is good beyond this call but one of the same number. No image's number is used twice for one tgid.
  void forget_before(std::uint64_t time_ns);
  [[nodiscard]] TimelineStatus status() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace profile
