// What the opener's threads share: the files that it keeps open, whose they are, whom nothing more is opened of, and
// the ways to those who wait for answers and descriptors. Every call may come from any thread.
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

#include "parse/channel.h"
#include "parse/wire.h"
#include "process/code_file.h"
#include "support/fd.h"

namespace profile {

// Who has to bear it when a file never answers: a user, so that he cannot take the names from others; but not all of
// root's own files for one dead server.
struct FileOwner {
  std::uint32_t uid = 0;
  std::uint64_t user_namespace = 0;  // one that root has made, of a container for instance; 0: any other
  std::uint64_t only = 0;            // of root's: the file system, or, on a disk, the file; 0: all
  friend auto operator<=>(const FileOwner&, const FileOwner&) = default;
};

struct KeptFile {
  Fd fd;
  FileStamp stamp;  // empty: its content may change
  std::string path;
  MappedBy mapped_by;
  FileOwner owner;
};
// Whoever holds one holds the descriptor open.
using KeptFilePtr = std::shared_ptr<const KeptFile>;

class OpenerFiles {
 public:
  explicit OpenerFiles(const WaitingChannel& questions) : questions_(questions) {}

  [[nodiscard]] KeptFilePtr find(std::uint64_t number);
  // Instead of the one that had the number.
  KeptFilePtr keep(std::uint64_t number, KeptFile file);
  // Its number may be another's from here on; it waits to be closed by the number of the question.
  void begin_close(std::uint64_t number, std::uint64_t question);
  [[nodiscard]] KeptFilePtr find_closing(std::uint64_t question);
  void close(std::uint64_t question);
  // Of each owner who has any, one that waits to be closed; and the one of this owner.
  [[nodiscard]] std::map<FileOwner, std::uint64_t> closings();
  [[nodiscard]] std::optional<std::uint64_t> closing_of(const FileOwner& owner);

  void ban(const FileOwner& owner);
  // What got stuck has come to an end after all. Believed a few times: on a machine that is as busy as that.
  void forgive(const FileOwner& owner);
  [[nodiscard]] bool is_banned(const FileOwner& owner);

  // Who is given descriptors.
  enum class Taker : std::uint8_t { parser, prober, count };
  // To a new one.
  void set_way(Taker taker, Fd link);
  // False: nobody is there.
  bool give(Taker taker, std::uint64_t tag, int fd);

  void answer(const WireWriter& words);

 private:
  const WaitingChannel& questions_;
  std::mutex mutex_;
  std::mutex answering_;
  std::mutex giving_;
  std::map<std::uint64_t, KeptFilePtr> kept_;
  std::map<std::uint64_t, KeptFilePtr> closing_;
  struct Ban {
    bool holds = true;
    unsigned times = 0;
  };
  std::map<FileOwner, Ban> bans_;
  std::array<std::shared_ptr<const WaitingChannel>, static_cast<std::size_t>(Taker::count)> ways_;
};

}  // namespace profile
