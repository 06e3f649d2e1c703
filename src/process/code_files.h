// Keeps every file whose code was seen mapped, by (device, inode), opened once and held open while somebody maps it,
// within the descriptor limit: an open file keeps its file system from being unmounted.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
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

  // The file that was just seen mapped; asked for when it is new. `generation` is the inode's, 0 when not known. A
  // number that another file has got since, or a file written anew in place, is another file; so is one of which that
  // is not known in time, until it is.
  Id mapped(const FileIdentity& identity, std::uint32_t generation, std::string_view path, const MappedBy& mapped_by);
  // Waits until it is known of each whether it can be read, together at most `patience`; of the others it is no_answer
  // until an answer comes. Those that were closed to make room are opened again.
  void settle(std::span<CodeFile* const> files, std::chrono::milliseconds patience);
  // Waits, at most so long, until it is known which files have been written anew.
  void settle_doubts(std::chrono::milliseconds patience);
  // Which files are mapped now; `is_mapped` is by Id, up to place_count(). Those that nobody has mapped for a while, as
  // the programs of a build come back, are leaving.
  void note_mapped(const std::vector<bool>& is_mapped, std::uint64_t now_ns);
  // Whether a file is open that was not mapped by anybody when note_mapped() was called.
  [[nodiscard]] bool any_unused() const { return any_unused_; }
  // Whether there is something for let_go() to close, once what was sampled in it is named.
  [[nodiscard]] bool any_leaving() const { return any_leaving_ || !leaving_perf_maps_.empty(); }
  // Closes what is leaving, but not what was mapped meanwhile. What is known of the files is kept.
  void let_go();
  // Forgets the files that nobody is known to have mapped: at once those that are deleted, because nobody can map them
  // again; the others only after a while, because programs come back. `is_mapped` as above.
  void forget_unmapped(const std::vector<bool>& is_mapped, std::uint64_t now_ns);
  // As FileKeeper::hold_perf_map().
  void hold_perf_map(std::uint32_t tgid);
  // The process has: its perf map, if one is held, is leaving.
  void note_end(std::uint32_t tgid);
  [[nodiscard]] bool is_perf_map_leaving(std::uint32_t tgid) const { return leaving_perf_maps_.contains(tgid); }
  // What has come of what was asked for. Called now and then.
  void take_answers();
  // Files already open are checked for new content at most once a batch.
  void begin_batch();

  [[nodiscard]] CodeFile& at(Id id) { return files_[itself(id)]; }
  // Whose Id is used for that file now.
  [[nodiscard]] Id itself(Id id) const { return files_[id].same_as_.value_or(id); }
  [[nodiscard]] std::size_t size() const { return files_.size() - free_.size(); }
  [[nodiscard]] std::size_t place_count() const { return files_.size(); }
  [[nodiscard]] std::size_t open_count() const { return open_count_; }

 private:
  friend class CodeFile;
  struct IdentityHash {
    std::size_t operator()(const FileIdentity& identity) const noexcept;
  };

  // A file that was open when it was mapped again, and may have been another one by then.
  struct Doubt {
    Id before = 0;
    Id since = 0;              // the one that was mapped then
    std::uint64_t number = 0;  // of the latter
  };

  Id add(const FileIdentity& identity, std::uint32_t generation, std::string_view path, const MappedBy& mapped_by);
  // The same, and it is not asked for yet.
  CodeFile& add_unasked(const FileIdentity& identity, std::uint32_t generation, std::string_view path,
                        const MappedBy& mapped_by);
  Id add_doubtful(Id before, std::uint32_t generation, std::string_view path, const MappedBy& mapped_by);
  [[nodiscard]] Id place();
  void forget(Id id);
  void ask(CodeFile& file);
  void take(const FileAnswer& answer);
  void take_state(const FileAnswer& answer);
  void close(CodeFile& file);
  void make_room();

  FileKeeper& keeper_;
  std::size_t most_open_;
  std::size_t open_count_ = 0;
  std::uint64_t uses_ = 0;
  std::uint64_t batch_ = 1;
  std::deque<CodeFile> files_;  // a deque: pointers to its elements are given away
  std::vector<Id> free_;        // places of files that were forgotten
  std::uint64_t numbers_ = 0;   // given to files so far
  std::unordered_map<FileIdentity, Id, IdentityHash> ids_;
  std::unordered_map<std::uint64_t, Id>
      asked_;  // by number: those whose answer has not come, or may become a better one
  std::unordered_map<std::uint64_t, Doubt> doubts_;  // by the number of the file before
  bool any_unused_ = false;
  bool any_leaving_ = false;
  std::unordered_set<std::uint32_t> held_perf_maps_;  // by tgid
  std::unordered_set<std::uint32_t> leaving_perf_maps_;
};

}  // namespace profile
