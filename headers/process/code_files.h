// Keeps every file whose code was seen mapped, by (device, inode), opened once and held open within the descriptor
// limit.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "process/code_file.h"
#include "process/file_opener.h"

namespace profile {

class CodeFiles {
 public:
  using Id = std::uint32_t;

  CodeFiles(FileOpener& opener, std::size_t most_open) : opener_(opener), most_open_(most_open) {}
  CodeFiles(const CodeFiles&) = delete;
  CodeFiles& operator=(const CodeFiles&) = delete;

  // The file that was just seen mapped; opened when it is new. `generation` is the inode's, 0 when not known. A number
  // that another file has got since, or a file written anew in place, is another file.
  Id mapped(const FileIdentity& identity, std::uint32_t generation, std::string_view path, const MappedBy& mapped_by);
  // Forgets the files that nobody has mapped: at once those that are deleted, because nobody can map them again, and
  // open they take their room on the disk; the others only after a while, because programs come back. `is_mapped` is by
  // Id, up to place_count().
  void forget_unmapped(const std::vector<bool>& is_mapped, std::uint64_t now_ns);
  // Files already open are checked for new content at most once a batch.
  void begin_batch() { ++batch_; }

  [[nodiscard]] CodeFile& at(Id id) { return files_[id]; }
  [[nodiscard]] std::size_t size() const { return files_.size() - free_.size(); }
  [[nodiscard]] std::size_t place_count() const { return files_.size(); }
  [[nodiscard]] std::size_t open_count() const { return open_count_; }

 private:
  friend class CodeFile;
  struct IdentityHash {
    std::size_t operator()(const FileIdentity& identity) const noexcept;
  };

  int use(CodeFile& file);
  Id add(const FileIdentity& identity, std::uint32_t generation, std::string_view path, const MappedBy& mapped_by);
  [[nodiscard]] Id place();
  void forget(Id id);
  void try_to_open(CodeFile& file);
  void close(CodeFile& file);
  void make_room();
  [[nodiscard]] bool has_changed(const CodeFile& file);

  FileOpener& opener_;
  std::size_t most_open_;
  std::size_t open_count_ = 0;
  std::uint64_t uses_ = 0;
  std::uint64_t batch_ = 1;
  std::deque<CodeFile> files_;  // a deque: pointers to its elements are given away
  std::vector<Id> free_;        // places of files that were forgotten
  std::uint64_t numbers_ = 0;   // given to files so far
  std::unordered_map<FileIdentity, Id, IdentityHash> ids_;
};

}  // namespace profile
