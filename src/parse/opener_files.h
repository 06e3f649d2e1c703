// What the opener's threads share: the files that it keeps open and their owners, the owners whose files are not opened
// any more, and the ways to the processes that wait for answers and descriptors. Every function may be called from any
// thread.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "children/channel.h"
#include "parse/opener_calls.h"
#include "process/code_file.h"
#include "process/file_rights.h"
#include "support/fd.h"

namespace profile {

// Who bears the cost when a file never answers. It is a user, so that a user cannot take the names from others. For
// root it is only a part of its files, so that one dead server does not cost all of them.
struct FileOwner {
  std::uint32_t uid = 0;
  std::uint64_t user_namespace = 0;  // if root has made it, for a container for instance; 0: any other
  std::uint64_t part = 0;            // only for root: a file system, a file on a disk, a process or a path; 0: all
  friend auto operator<=>(const FileOwner&, const FileOwner&) = default;
};

struct KeptFile {
  Fd fd;
  FileStamp stamp;  // empty: its content may change
  std::string path;
  MappedBy mapped_by;
  FileOwner owner;          // bears the cost when the file itself never answers
  FileOwner process_owner;  // bears the cost of looking for other files as the process sees them
  bool is_perf_map = false;
  std::uint64_t content_owner = 0;  // as ContentOwners::of()
  // The rights of the process that uses it. Not set: the process was gone.
  std::optional<ProcessRights> rights;
  bool is_chosen = false;  // the user of the profiler named this file, or the directory that it lies in
};
// The descriptor stays open while any such pointer exists.
using KeptFilePtr = std::shared_ptr<const KeptFile>;

class OpenerFiles {
 public:
  explicit OpenerFiles(const WaitingChannel& questions) : questions_(questions) {}

  [[nodiscard]] KeptFilePtr find(FileNumber number);
  // Keeps `file` under `number`, in place of the file that had this number.
  KeptFilePtr keep(FileNumber number, KeptFile file);
  // Frees the number for another file. The file waits to be closed under the number of the question.
  void begin_close(FileNumber number, std::uint64_t question);
  [[nodiscard]] KeptFilePtr find_closing(std::uint64_t question);
  void close(std::uint64_t question);
  // For each owner with files that wait to be closed, the question of one; and one question of this owner.
  [[nodiscard]] std::map<FileOwner, std::uint64_t> closings();
  [[nodiscard]] std::optional<std::uint64_t> closing_of(const FileOwner& owner);

  void ban(const FileOwner& owner);
  // Reading a file of this owner got stuck in a parser: a ban for half a minute, and each time for twice as long. A
  // disk that another user keeps busy can be the reason.
  void distrust(const FileOwner& owner);
  // Lifts the ban, because the job that got stuck has come to an end after all. This can happen on a very busy machine,
  // but it is believed only a few times: after these, the owner is distrusted besides.
  void forgive(const FileOwner& owner);
  [[nodiscard]] bool is_banned(const FileOwner& owner);

  // Sets the way to a new child.
  void set_way(WayNumber way, Fd link);
  // False: there is no such child, or it does not take what it gets.
  bool give(WayNumber way, FileNumber number, int fd);

  void answer(std::string_view message);

 private:
  const WaitingChannel& questions_;
  std::mutex mutex_;
  std::mutex answering_;
  std::mutex giving_;
  std::map<FileNumber, KeptFilePtr> kept_;
  std::map<std::uint64_t, KeptFilePtr> closing_;
  struct Ban {
    bool holds = false;
    unsigned times = 0;
    unsigned times_distrusted = 0;
    std::uint64_t until_ns = 0;  // of the ban of distrust()
  };
  static void distrust_for_longer(Ban& ban);
  std::map<FileOwner, Ban> bans_;
  struct Way {
    WayNumber number = 0;
    std::shared_ptr<const WaitingChannel> link;
  };
  std::array<Way, way_count> ways_;  // by place
};

}  // namespace profile
