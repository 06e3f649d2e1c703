// Keeps every file whose code was seen mapped, by (device, inode). A file is opened once and held open while a process
// maps it, within the descriptor limit. It is closed afterwards, because an open file keeps its file system from being
// unmounted.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "process/code_file.h"
#include "process/file_keeper.h"

namespace profile {

class CodeFiles {
 public:
  using Id = std::uint32_t;

  CodeFiles(FileKeeper& keeper, std::size_t most_open) : keeper_(keeper), most_open_(most_open) {}
  CodeFiles(const CodeFiles&) = delete;
  CodeFiles& operator=(const CodeFiles&) = delete;

  // Returns the file that was just seen mapped, and asks to open it when it is new. If another file has got the inode
  // number, or the file was written again in place, it counts as another file. While an answer about that is late, it
  // counts as another file, too.
  Id mapped(const FileIdentity& identity, std::string_view path, const MappedBy& mapped_by);
  // Waits until it is known for each file whether it can be read, at most `patience` for all together. The other files
  // are not_opened until an answer comes. Files that were closed to make room are opened again.
  void wait_for_files(std::span<CodeFile* const> files, std::chrono::milliseconds patience);
  // Waits, at most `patience`, until it is known which files were written again.
  void wait_for_states(std::chrono::milliseconds patience);
  // Takes which files are mapped now; `is_mapped` is by Id, up to place_count(). A file that no process has mapped for
  // a while is expired. It does not expire at once, because the programs of a build come back.
  void note_mapped(const std::vector<bool>& is_mapped, std::uint64_t now_ns);
  // Whether a file is open that no process had mapped when note_mapped() was called.
  [[nodiscard]] bool any_unused() const { return any_unused_; }
  // Whether there is something for close_expired() to close, once the samples in it have names.
  [[nodiscard]] bool any_expired() const { return any_expired_ || !expired_perf_maps_.empty(); }
  // Closes everything that is expired, except what was mapped again. Its facts are kept.
  void close_expired();
  // Forgets the files that no known process has mapped. Deleted files are forgotten at once, because no process can map
  // them again. The others are forgotten after a while, because programs come back. `is_mapped` as above.
  void forget_unmapped(const std::vector<bool>& is_mapped, std::uint64_t now_ns);
  // As FileKeeper::hold_perf_map().
  void hold_perf_map(std::uint32_t tgid, std::optional<std::uint32_t> user);
  // The process has ended: its perf map, if one is held, is expired.
  void note_end(std::uint32_t tgid);
  [[nodiscard]] bool is_perf_map_expired(std::uint32_t tgid) const { return expired_perf_maps_.contains(tgid); }
  // Who decides what a file says is not known when a process has it mapped that sees other mounts than we do. When a
  // process with our mounts maps it, too, the file may get another owner, and a new number: nothing that the
  // parser for the earlier owner has said of it counts any more. Returns the numbers that were replaced since the last
  // call.
  [[nodiscard]] std::vector<FileNumber> take_replaced() { return std::exchange(replaced_, {}); }
  // Takes the answers that have come. Call it now and then.
  void take_answers();
  // Begins a batch. In each batch an open file is checked for new content at most once.
  void begin_batch();

  [[nodiscard]] CodeFile& at(Id id) { return files_[itself(id)]; }
  // The Id that is used for that file now.
  [[nodiscard]] Id itself(Id id) const { return files_[id].same_as_.value_or(id); }
  [[nodiscard]] std::size_t size() const { return files_.size() - free_.size(); }
  [[nodiscard]] std::size_t place_count() const { return files_.size(); }
  [[nodiscard]] std::size_t open_count() const { return open_count_; }

 private:
  friend class CodeFile;
  struct IdentityHash {
    std::size_t operator()(const FileIdentity& identity) const noexcept;
  };

  // A file that was open when it was mapped again, and may have been another file by then.
  struct StateQuestion {
    Id before = 0;
    Id since = 0;                          // the file that was mapped then
    FileNumber number = FileNumber::none;  // that of `since`
  };

  Id add(const FileIdentity& identity, std::string_view path, const MappedBy& mapped_by);
  // The same, but does not ask to open it yet.
  CodeFile& add_unasked(const FileIdentity& identity, std::string_view path, const MappedBy& mapped_by);
  void forget(Id id);
  void ask(CodeFile& file);
  FileState state_of(CodeFile& file);
  void take(const FileAnswer& answer);
  void take_state(const FileAnswer& answer);
  void ask_for_owner(CodeFile& file, const MappedBy& mapped_by);
  void take_owner(CodeFile& file, const FileAnswer& answer);
  void close(CodeFile& file);
  void make_room();

  FileKeeper& keeper_;
  std::size_t most_open_;
  std::size_t open_count_ = 0;
  std::uint64_t uses_ = 0;
  std::uint64_t batch_ = 1;
  std::deque<CodeFile> files_;  // a deque: others hold pointers to its elements
  std::vector<Id> free_;        // places of forgotten files
  std::uint64_t numbers_ = 0;   // given to files so far
  std::unordered_map<FileIdentity, Id, IdentityHash> ids_;
  std::unordered_map<FileNumber, Id> asked_;  // by number; files whose answer has not come, or may become a better one
  std::unordered_map<FileNumber, StateQuestion> state_questions_;  // by the number of the earlier file
  std::vector<FileNumber> replaced_;
  std::vector<Id> needed_;             // open files whose states were needed lately, the last one at the end
  std::uint64_t batches_checked_ = 0;  // batches with such a file
  std::uint64_t checked_batch_ = 0;    // the last one
  bool any_unused_ = false;
  bool any_expired_ = false;
  std::unordered_set<std::uint32_t> held_perf_maps_;  // by tgid
  std::unordered_set<std::uint32_t> expired_perf_maps_;
};

}  // namespace profile
