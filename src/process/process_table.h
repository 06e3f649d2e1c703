// The state of the timeline: the program images that every process ran, when each image began, and what code it had
// mapped. Its input is side-band records and /proc snapshots. It accesses the kernel only through CodeFiles and
// ProcSource; ProcSource also reads the snapshots.
//
// Records come in an order in which causes precede effects (see SideBand::read), so a record always belongs to the
// newest image of its process. Within an image mappings are only added, so the exact time of a mapping does not matter.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "process/code_files.h"
#include "process/mapping_table.h"
#include "process/proc_source.h"
#include "process/process_images.h"
#include "process/side_band.h"
#include "process/timeline.h"

namespace profile {

class ProcessTable {
 public:
  // Asks `source` for the mount namespace of a process (when it is read or forks for the first time, and at each exec),
  // and whether a process still lives or runs.
  ProcessTable(CodeFiles& files, ProcSource& source)
      : files_(files), source_(source), own_mount_namespace_(source.mount_namespace(0)), root_(source.root_device()) {}

  // From now on this process is of interest. Without any such call all processes are.
  void want(std::uint32_t tgid) {
    wants_all_ = false;
    wanted_.insert(tgid);
  }
  // The same, but if all processes are of interest, they all stay so.
  void want_also(std::uint32_t tgid) {
    if (!wants_all_) wanted_.insert(tgid);
  }
  [[nodiscard]] bool is_wanted(std::uint32_t tgid) const { return wants_all_ || wanted_.contains(tgid); }
  // Like want(), also for all descendants of the process. `from_exec`: what it has mapped before its exec is of no
  // interest.
  void follow(std::uint32_t tgid, bool from_exec);

  void apply(const SideBandRecord& record);

  // Processes that were met in the middle of their lives since the last call. Their mappings must be read from /proc.
  [[nodiscard]] std::vector<std::uint32_t> take_unread() { return std::exchange(unread_, {}); }
  // Processes that map code without end, by tgid: the time since which their records are left out. Their maps must be
  // read instead.
  [[nodiscard]] std::unordered_map<std::uint32_t, std::uint64_t> take_skipped() { return std::exchange(skipped_, {}); }
  // As ProcessTimeline::copies_since().
  [[nodiscard]] std::vector<CodeCopy> copies_since(std::uint64_t& noted) const;
  // How many records were left out.
  [[nodiscard]] std::uint64_t skipped_count() const { return skipped_records_; }
  [[nodiscard]] bool has_skipped() const { return !skipped_.empty(); }
  // Since when records may be missing, if any are. The call resets this.
  [[nodiscard]] std::optional<std::uint64_t> take_loss() { return std::exchange(loss_since_, std::nullopt); }
  void note_loss(std::uint64_t since_ns);

  // Whether reading /proc could still add something about the process.
  [[nodiscard]] bool needs_snapshot(std::uint32_t tgid) const;
  // Whether its newest image began at `time_ns` or later.
  [[nodiscard]] bool has_begun_since(std::uint32_t tgid, std::uint64_t time_ns) const;
  // Adds the contents of /proc to the newest image. Never overrules a record.
  void learn(std::uint32_t tgid, const ProcSnapshot& snapshot);
  // The same when records may be missing since `since_ns`. If the snapshot contradicts the image, a new image begins
  // when it was read, at `read_ns`. What was mapped there in between is not known.
  void correct(std::uint32_t tgid, const ProcSnapshot& snapshot, std::uint64_t since_ns, std::uint64_t read_ns);

  // Returns the living processes with open mapped files on file systems other than our root, because no record reports
  // what a process unmaps. Such files may keep their file system from being unmounted.
  [[nodiscard]] std::vector<std::uint32_t> holders();
  // A counter. If it differs from an earlier answer, something was mapped in between.
  [[nodiscard]] std::uint64_t maps_count(std::uint32_t tgid) const;
  // `snapshot` is what the process had mapped at `time_ns`, and nothing was mapped since. If that is less than is
  // known, a new image begins.
  void note_unmapped(std::uint32_t tgid, const ProcSnapshot& snapshot, std::uint64_t time_ns);

  // Marks processes that are not in `alive` (ascending) as exited: the records of their exits were lost.
  void mark_exited_except(const std::vector<std::uint32_t>& alive, std::uint64_t time_ns);

  // These functions are those of the same names in ProcessTimeline.
  [[nodiscard]] std::uint32_t image_at(std::uint32_t tgid, std::uint64_t time_ns) const;
  [[nodiscard]] ProgramLife life_of(std::uint32_t tgid, std::uint32_t image) const;
  [[nodiscard]] std::uint32_t living_ancestor_of(std::uint32_t tgid) const;
  [[nodiscard]] std::string_view name_of(std::uint32_t tgid, std::uint32_t image) const;
  [[nodiscard]] std::string_view comm_of(std::uint32_t tgid, std::uint32_t image) const;
  void name_program(std::uint32_t tgid, std::uint64_t time_ns, std::string line);
  [[nodiscard]] CodeLocation locate(std::uint32_t tgid, std::uint32_t image, RuntimeAddress address) const;
  [[nodiscard]] std::vector<MappedFile> files_of(std::uint32_t tgid, std::uint32_t image) const;
  [[nodiscard]] CodeFile* jit_dump_of(std::uint32_t tgid, std::uint32_t image) const;
  [[nodiscard]] std::optional<std::uint32_t> jit_user_of(std::uint32_t tgid) const;
  [[nodiscard]] bool is_number_used_again(std::uint32_t tgid, std::uint32_t image) const;
  [[nodiscard]] bool is_of_replaced_program(std::uint32_t tgid, std::uint32_t image, RuntimeAddress address) const;
  void forget_before(std::uint64_t time_ns, const std::function<bool(std::uint32_t tgid)>& is_alive,
                     const std::unordered_set<std::uint32_t>& but = {});
  // Gives CodeFiles the files that are mapped now, if they may have changed since the last call.
  void note_mapped(std::uint64_t now_ns);

  [[nodiscard]] std::uint64_t record_count() const { return records_; }
  // How many of them began a process or a program, or mapped code.
  [[nodiscard]] std::uint64_t news_count() const { return news_; }
  [[nodiscard]] std::uint64_t lost_count() const { return lost_; }
  [[nodiscard]] std::uint64_t process_count() const { return begun_; }
  [[nodiscard]] std::size_t kept_count() const { return processes_.size(); }
  // The mappings of all images that are kept. What two images share counts twice.
  [[nodiscard]] std::size_t kept_mappings() const;

 private:
  // Limits how many mappings of one process are followed one by one: so many a second, and a thousand at once, which a
  // large program has when it begins.
  static constexpr std::uint64_t ns_per_mapping = 1'000'000'000 / 100;
  static constexpr std::uint64_t most_ahead_ns = 1000 * ns_per_mapping;

  struct Process {
    ProcessImages images;
    std::uint32_t parent = 0;           // that forked it; 0: not known
    std::uint64_t forked_ns = 0;        // 0: not known
    std::uint64_t exit_ns = 0;          // 0: it has not exited, as far as we know
    std::uint64_t mount_namespace = 0;  // 0: not asked for, or not known
    std::optional<std::uint32_t> user;  // as jit_user_of()
    std::uint64_t maps_count = 0;       // as maps_count()
    std::uint64_t mapped_until_ns = 0;  // when its mappings so far would end at the allowed rate
  };

  void apply_fork(const SideBandRecord& record);
  void apply_exec(const SideBandRecord& record);
  void apply_mmap(const SideBandRecord& record);
  [[nodiscard]] bool may_be_unmounted(const Mapping& mapping) const;
  [[nodiscard]] bool maps_without_end(Process& process, const SideBandRecord& record);
  Process& met(std::uint32_t tgid);
  std::uint64_t mount_namespace(std::uint32_t tgid, Process& process);
  [[nodiscard]] const Process* find(std::uint32_t tgid) const;
  [[nodiscard]] const ProcessImage* find(std::uint32_t tgid, std::uint32_t number) const;
  void note_begun(Process& process);
  ProcessImage& begin_image(Process& process, std::uint64_t start_ns, std::shared_ptr<MappingTable> table,
                            const CommName& comm);
  ProcessImage& begin_program(Process& process, std::uint64_t start_ns, std::shared_ptr<MappingTable> table,
                              const CommName& comm);
  void add_mapping(Process& process, std::uint64_t time_ns, const Mapping& mapping);
  [[nodiscard]] std::optional<Mapping> mapping_of(const MapsEntry& entry, std::uint32_t tgid, Process& process);
  void note_jit(std::uint32_t tgid, Process& process, bool own_mounts);
  void note_copy(const CodeCopy& copy, Process& process);
  [[nodiscard]] bool is_written_by_jit(CodeFile& memory_file, std::uint32_t tgid);
  [[nodiscard]] std::vector<Mapping> mappings_of(std::string_view lines, std::uint32_t tgid, Process& process);
  void mark_mapped(const MappingTable& table, std::vector<bool>& is_mapped) const;

  CodeFiles& files_;
  ProcSource& source_;
  std::uint64_t own_mount_namespace_;
  ProcSource::Device root_;
  std::unordered_set<std::uint32_t> wanted_;
  bool wants_all_ = true;
  bool follows_ = false;  // children of wanted processes are wanted, too
  std::unordered_map<std::uint32_t, Process> processes_;
  std::unordered_set<std::uint32_t> living_;  // of `processes_`; those that ended lately may still be in it
  bool may_be_unmapped_ = false;              // files may be unmapped since the last note_mapped()
  std::vector<std::uint32_t> unread_;
  std::unordered_map<std::uint32_t, std::uint64_t> skipped_;
  std::deque<CodeCopy> copies_;  // the newest of those that were noted
  std::uint64_t copies_noted_ = 0;
  std::uint64_t skipped_records_ = 0;
  std::optional<std::uint64_t> loss_since_;
  std::uint32_t highest_forgotten_ = 0;  // numbers up to this one may have been used for any tgid
  std::uint64_t records_ = 0;
  std::uint64_t news_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t begun_ = 0;
};

}  // namespace profile
