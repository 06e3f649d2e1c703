// Opens files of other processes and keeps them open, where it hurts nobody when a file system never answers: in
// another process than ours. What comes back here are numbers and words. Behind an interface, so that what is built on
// it can be tested without processes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "process/code_file.h"

namespace profile {

struct FileQuestion {
  std::uint64_t number = 0;  // under which it is kept from then on; not 0
  FileIdentity identity;
  std::string_view path;
  MappedBy mapped_by;
};

enum class FileState : std::uint8_t { same, changed, deleted, unknown };

struct FileAnswer {
  std::uint64_t number = 0;
  Unnamed reason = Unnamed::named;  // named: it is open
  FileStamp stamp;
  std::optional<FileState> state;  // of one that is open already: what FileKeeper::state() did not know
};

class FileKeeper {
 public:
  using State = FileState;

  virtual ~FileKeeper() = default;
  // The answer comes later, or never. One that came as no_answer may be followed by a better one.
  virtual void open(const FileQuestion& question) = 0;
  // Those that have come; waits for none.
  virtual void take_answers(const std::function<void(const FileAnswer&)>& take) = 0;
  // Until an answer is there to be taken, at most this long. False: none is.
  virtual bool wait_for_answer(std::chrono::milliseconds patience) = 0;
  // Of an open one: whether it still is as it was when it was opened, and has a name. `unknown`: there is no answer in
  // time; it comes later, with that number, or never.
  [[nodiscard]] virtual State state(std::uint64_t number) = 0;
  virtual void close(std::uint64_t number) = 0;
  // The process has code of no file, and sees another /tmp than we do, which may be gone when it is: its perf map is
  // opened as soon as there is one, and kept until its code was named after its end. May be called again and again.
  virtual void hold_perf_map(std::uint32_t tgid) = 0;
  // The process has ended and its code was named.
  virtual void drop_perf_map(std::uint32_t tgid) = 0;
};

}  // namespace profile
