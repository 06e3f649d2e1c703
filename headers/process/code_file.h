// A file whose code a process has mapped. Each file has one object, however many processes share the file.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

namespace profile {

// What identifies a file, whatever path leads to it. The numbers are those of /proc/PID/maps and of the side-band
// records. (On btrfs and overlayfs stat() gives another device number.)
struct FileIdentity {
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::uint64_t inode = 0;
  // Of the inode, whose number the kernel gives to another file once it is gone. 0: not known; so it is not compared.
  std::uint32_t generation = 0;

  friend constexpr std::strong_ordering operator<=>(const FileIdentity& a, const FileIdentity& b) {
    return std::tie(a.device_major, a.device_minor, a.inode) <=> std::tie(b.device_major, b.device_minor, b.inode);
  }
  friend constexpr bool operator==(const FileIdentity& a, const FileIdentity& b) { return (a <=> b) == 0; }
};
// Whether they are of different files. Of an unknown one this is not known.
[[nodiscard]] constexpr bool are_other_generations(std::uint32_t a, std::uint32_t b) {
  return a != 0 && b != 0 && a != b;
}

// Which process had a file mapped, and where. This is what is needed to open the file.
struct MappedBy {
  std::uint32_t tgid = 0;
  bool own_mounts = false;  // as far as is known, the process sees the same mounts as we do
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

// What shows later whether an open file still has the content that it had when it was opened.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // the last change of the content or of one of the next members
  std::uint32_t links = 0;
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  std::uint32_t mode = 0;
  std::uint64_t path_hash = 0;   // of the path that the kernel gives
  std::uint32_t generation = 0;  // of the inode; 0: its file system does not tell it
  friend bool operator==(const FileStamp&, const FileStamp&) = default;

  // Whether the content is surely the same. The time of modification can be set back, but not the time of change: when
  // that differs, another member must say why.
  [[nodiscard]] bool has_content_of(const FileStamp& before) const {
    const auto content = [](const FileStamp& stamp) {
      return std::tuple(stamp.device, stamp.inode, stamp.size_bytes, stamp.modified_ns);
    };
    const auto rest = [](const FileStamp& stamp) {
      return std::tuple(stamp.links, stamp.owner, stamp.group, stamp.mode, stamp.path_hash);
    };
    return content(*this) == content(before) && (changed_ns == before.changed_ns || rest(*this) != rest(before));
  }
};

// Of an open file, since it was opened.
enum class FileState : std::uint8_t { same, changed, deleted, unknown, count };

// Why a file was not opened or not read. `none`: it was.
enum class FileFault : std::uint8_t {
  none,
  gone,            // it could not be opened
  changed,         // the file at that path is not the one that was mapped
  malformed,       // it is not of the expected kind
  no_access,       // it must not be opened: the file system shows it only to its own user
  no_answer,       // its file system did not answer in time
  parser_gave_up,  // the parser (child process) did not finish it in time, or died
  too_large,       // reading it needs more than the limit at one time
  out_of_time,     // the user asked for the end before it had been read
  not_opened,      // the opener (child process) had ended or gave no answer, so nothing is known of it
  count
};
[[nodiscard]] constexpr bool may_open_later(FileFault fault) {
  return fault == FileFault::no_answer || fault == FileFault::not_opened;
}

// Under which the keeper (file_keeper.h) has a file open, or will have. Each is given once in a run.
enum class FileNumber : std::uint64_t { none = 0 };
[[nodiscard]] constexpr std::uint64_t value_of(FileNumber number) { return static_cast<std::uint64_t>(number); }

class CodeFiles;

class CodeFile {
 public:
  // Identifies what is known of the file. The place of a forgotten file is used again, and the new file there has
  // another number. So has the same file once it is known to be another owner's.
  FileNumber number = FileNumber::none;
  FileIdentity identity;
  std::string path;  // as its first process saw it; only for messages and for the module's short name
  // Why the file cannot be read; `malformed` for memory that holds no program. `none` while the file can be read, or
  // while that is not known yet.
  FileFault unreadable = FileFault::none;

  // The keeper (file_keeper.h) keeps the file open for us under `number`. It is a regular file of this identity.
  [[nodiscard]] bool is_open() const { return is_open_; }
  // The file is of no use. Closes it; it is opened again only if a process maps it again.
  void give_up(FileFault reason);
  // The process that mapped the file last. The path is read as this process sees it.
  [[nodiscard]] const MappedBy& mapped_by() const { return mapped_by_; }
  // No process has mapped the file for a while. It is closed as soon as the samples in it have names.
  [[nodiscard]] bool is_expired() const { return is_expired_; }
  // The file when it was opened; empty if it never was.
  [[nodiscard]] const FileStamp& stamp() const { return stamp_; }
  // Who decides what the file says (content_owner() in file_rights.h): 0 is root, also while it is not known. What a
  // user's files cost is counted against that user.
  [[nodiscard]] std::uint64_t owner() const { return owner_; }

 private:
  friend class CodeFiles;
  CodeFiles* files_ = nullptr;
  std::uint32_t place_ = 0;  // in `files_`
  bool is_open_ = false;
  bool is_asked_ = false;  // we asked to open it and have no answer yet
  bool is_expired_ = false;
  bool is_deleted_ = false;               // it had no name when we closed it: no process can map it again
  std::optional<std::uint32_t> same_as_;  // it turned out to be the file at this place
  FileStamp stamp_;
  std::uint64_t owner_ = 0;
  MappedBy mapped_by_;
  std::optional<MappedBy> also_mapped_by_;  // mapped it after we asked: used if the first way fails
  // Of an open file: a process that sees the same mounts as we do has it mapped, and its owner is asked for again under
  // this number. `none`: not yet.
  FileNumber number_of_own_ = FileNumber::none;
  MappedBy own_mapped_by_;
  std::uint64_t last_use_ = 0;
  std::uint64_t checked_in_batch_ = 0;
  FileState state_ = FileState::unknown;  // in that batch
  std::uint64_t needed_in_ = 0;           // as CodeFiles::batches_checked_, when its state was needed last
  std::uint32_t failures_ = 0;
  std::uint64_t unused_since_ns_ = 0;    // no process maps it now; 0: a process does, as far as we asked
  std::uint64_t unmapped_since_ns_ = 0;  // no known process mapped it; 0: a process did, as far as we asked
};

}  // namespace profile
