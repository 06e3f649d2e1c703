// Which program ran under which process number at which time, and what it had mapped. The timeline begins before the
// first sample, so that a process that is long gone still has names (promise 4). Its input is the kernel's side-band
// records and one pass over /proc.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "model/address.h"
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
    unfollowed,  // code was mapped there too fast to be followed, so it is not known which
    nowhere,     // the process is known and has nothing mapped there
    unknown      // nothing is known of the process: it was gone before we could look at it
  };
  Kind kind = Kind::unknown;
  CodeFile* file = nullptr;  // owned by the timeline and valid as long as it
  FileOffset offset;
};

// A mapping of code, from a file.
struct MappedFile {
  RuntimeAddress start;
  CodeFile* file = nullptr;  // as CodeLocation::file
};

// When a program ran in a process, by CLOCK_MONOTONIC. 0: before the timeline began, or it has not ended; or unknown.
struct ProgramLife {
  std::uint64_t began_ns = 0;
  std::uint64_t ended_ns = 0;
};

// Memory of a process that holds a copy of its program's code, at the same addresses: locate() names the file.
struct CodeCopy {
  std::uint32_t tgid = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

// How long we wait for files that are not open yet. The opener waits a shorter time before it decides that a file does
// not answer.
constexpr std::chrono::milliseconds patience_with_files{1300};

struct TimelineOptions {
  // Only these processes are of interest, and their mappings are kept; empty: all are. A thread's id stands for its
  // process.
  std::vector<std::uint32_t> tgids;
  // This process and its descendants are of interest, too. It is a command, which runs our own program until its exec.
  std::optional<std::uint32_t> command;
  bool command_from_exec = true;  // what the command does before its exec is of no interest
  // The time between two samples of a CPU, if all are ticks. While it is long, records may be read later.
  std::optional<std::uint64_t> tick_ns;
};

// Counters for the summary and for -v.
struct TimelineStatus {
  std::uint64_t records = 0;
  std::uint64_t lost_records = 0;
  std::uint64_t processes = 0;
  std::uint64_t files = 0;
  std::uint64_t open_files = 0;
  std::uint64_t repairs = 0;  // passes over /proc because records were lost
  std::uint64_t skipped = 0;  // records of processes that map code without end; their maps were read instead
  double late_s = 0;          // the sum of the delays before we read records, to keep the cost low
};

class ProcessTimeline {
 public:
  // Opens the side-band events on `cpus`, the online CPUs. Throws Error when the kernel refuses. `keeper` opens the
  // files that are mapped, and must outlive this object.
  ProcessTimeline(const TimelineOptions& options, const CpuList& cpus, FileKeeper& keeper);
  ~ProcessTimeline();

  // A CPU came online or went away.
  void set_cpus(const CpuList& online);
  // An epoll descriptor. It is readable when there are side-band records to read.
  [[nodiscard]] int poll_fd() const;
  // Reads the side-band records that have arrived. Call it when poll_fd() is readable and before every drain of
  // samples. (image_at() calls it for a sample younger than the last call, so the order of update and drain is not
  // critical.)
  void update();
  // True if an update() could not read all that it had to. Call update() again some tenths of a second later then, also
  // if no record arrives.
  [[nodiscard]] bool is_behind() const;
  // How long to wait with update() after poll_fd() is readable. Records that are read together cost less, and those of
  // threads that begin and end are not urgent.
  [[nodiscard]] double update_delay_s();
  // Makes one pass over /proc, for the processes that began before us. Called once, after sampling was armed, unless
  // few processes are of interest.
  void scan_proc();

  // The process has code where nothing is known: reads its mappings again, unless that was just done.
  void look_again(std::uint32_t tgid);
  // The number of the program image that `tgid` ran at `time_ns` (CLOCK_MONOTONIC). A new image begins with each exec
  // and with each reuse of the number. One also begins when code is mapped over other code (dlclose and dlopen), so
  // that an address has one meaning within one image. Images count from 1; 0 when nothing is known.
  [[nodiscard]] std::uint32_t image_at(std::uint32_t tgid, std::uint64_t time_ns);
  // The command line of that image, if name_program() told it, and otherwise its comm. Valid until the next update().
  [[nodiscard]] std::string_view name_of(std::uint32_t tgid, std::uint32_t image) const;
  // The life of the program of that image.
  [[nodiscard]] ProgramLife life_of(std::uint32_t tgid, std::uint32_t image) const;
  // The nearest process that still runs of those that forked the last process with this number, its parent and so on;
  // 0: not known.
  [[nodiscard]] std::uint32_t living_ancestor_of(std::uint32_t tgid) const;
  // The comm of the main thread in that image, the last that the thread gave itself; "" when not known. Valid likewise.
  [[nodiscard]] std::string_view comm_of(std::uint32_t tgid, std::uint32_t image) const;
  // Tells the command line of the program that `tgid` ran at `time_ns`.
  void name_program(std::uint32_t tgid, std::uint64_t time_ns, std::string line);
  // `tell` is called in each update(), and calls name_program() for what is new.
  void set_command_lines(std::function<void()> tell);
  [[nodiscard]] bool has_command_lines() const;
  [[nodiscard]] CodeLocation locate(std::uint32_t tgid, std::uint32_t image, RuntimeAddress address) const;
  // The mappings of files that are known.
  [[nodiscard]] std::vector<MappedFile> files_of(std::uint32_t tgid, std::uint32_t image) const;
  // The copies that were found since the call that left this number in `noted`; at first it is 0.
  [[nodiscard]] std::vector<CodeCopy> copies_since(std::uint64_t& noted) const;
  // As CodeFiles::take_replaced().
  [[nodiscard]] std::vector<FileNumber> take_replaced_numbers();
  // The jitdump that the process has mapped; null: none. A run-time maps it so that profilers find it.
  [[nodiscard]] CodeFile* jit_dump_of(std::uint32_t tgid, std::uint32_t image) const;
  // The user of that process, if it has code without a file. nullopt: it has none, or was gone before we could look.
  [[nodiscard]] std::optional<std::uint32_t> jit_user_of(std::uint32_t tgid) const;
  // Whether another process has had this number since that image. Then what bears the number is not of the image.
  [[nodiscard]] bool is_number_used_again(std::uint32_t tgid, std::uint32_t image) const;
  // Whether that image has nothing at the address, and the program that its exec replaced had code there.
  [[nodiscard]] bool is_of_replaced_program(std::uint32_t tgid, std::uint32_t image, RuntimeAddress address) const;
  // Takes answers that the keeper has given.
  void take_file_answers();
  // Call it before addresses are located and files are read. Waits, at most `patience`, until it is known which mapped
  // files have changed.
  void wait_for_states(std::chrono::milliseconds patience);
  // Call it before `files` are read. Waits until it is known for each file whether it can be read, at most `patience`
  // for all together (see CodeFiles).
  void wait_for_files(std::span<CodeFile* const> files, std::chrono::milliseconds patience);
  // Whether files (CodeFile::is_expired()) or perf maps are open that were not used for most of a second. They are
  // closed once the samples in them have names. Call it a few times a second.
  [[nodiscard]] bool any_expired();
  // Whether the perf map belongs to a process that has ended. The map was read, or still must be read.
  [[nodiscard]] bool is_perf_map_expired(std::uint32_t tgid) const;
  // Closes the files and perf maps that are expired.
  void close_expired();
  // Forgets the images that ended before `time_ns`, so that runs can have any length. Call it once the samples of these
  // images have names. `but`: processes whose samples have none yet; they are left alone.
  // A file stays known as long as a process has it mapped, and a while longer unless it is deleted. After this call a
  // CodeFile is valid only if its number is unchanged. No image number is used twice for one tgid.
  void forget_before(std::uint64_t time_ns, const std::unordered_set<std::uint32_t>& but = {});
  [[nodiscard]] TimelineStatus status() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace profile
