// Opens files of other processes and keeps them open. It does so in a separate process, so that a file system that
// never answers does not block us. Only numbers and words come back here. It is an interface, so that its users can be
// tested without processes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "process/code_file.h"

namespace profile {

struct FileQuestion {
  FileNumber number = FileNumber::none;  // the file is kept under it from now on; not `none`
  FileIdentity identity;
  std::string_view path;
  MappedBy mapped_by;
};

struct FileAnswer {
  FileNumber number = FileNumber::none;
  FileFault reason = FileFault::none;  // `none`: the file is open
  FileStamp stamp;
  std::optional<FileState> state;  // of a file that was already open: the late answer to FileKeeper::state()
  std::uint64_t owner = 0;         // as CodeFile::owner(), of a file that is open
};

class FileKeeper {
 public:
  using State = FileState;

  virtual ~FileKeeper() = default;
  // The answer comes later, or never. After the answer no_answer a better answer may follow.
  virtual void open(const FileQuestion& question) = 0;
  // Takes the answers that have come. Does not wait.
  virtual void take_answers(const std::function<void(const FileAnswer&)>& take) = 0;
  // Waits until there is an answer to take, at most this long. False: there is none.
  virtual bool wait_for_answer(std::chrono::milliseconds patience) = 0;
  // Whether an open file is unchanged since it was opened, and whether it still has a name. `unknown`: there is no
  // answer in time. The answer comes later, with that number, or never.
  [[nodiscard]] State state(FileNumber number) { return states(std::span(&number, 1)).front(); }
  // The same for several files in one question. It is about the first; of the others it may say `unknown`, and then no
  // later answer comes. Their owner should be the same, because others are not asked for.
  [[nodiscard]] virtual std::vector<State> states(std::span<const FileNumber> numbers) = 0;
  virtual void close(FileNumber number) = 0;
  // The process has code without a file and sees another /tmp than we do. That /tmp may disappear with the process. So
  // the keeper opens the perf map as soon as it exists, and holds it until the code is named after the process ends.
  // May be called repeatedly. Each `user` of such processes gets a share of the maps that are held; nullopt: not known.
  virtual void hold_perf_map(std::uint32_t tgid, std::optional<std::uint32_t> user) = 0;
  // The process has ended and its code has names: closes its perf map.
  virtual void drop_perf_map(std::uint32_t tgid) = 0;
};

}  // namespace profile
