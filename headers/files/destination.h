// The output of a report: a file or stdout. It is opened before sampling starts, so that an error appears at once and
// not after the run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "files/readers.h"
#include "support/fd.h"

namespace profile {

class DetachedWriter;

class Destination {
 public:
  // "-" is stdout. Throws Error when the file cannot be opened. An existing file keeps its contents until there
  // is something to write.
  explicit Destination(std::string path, Readers readers = Readers::anyone);
  // Removes a file that it made, if an error ended the run before anything was written to it.
  ~Destination();
  Destination(Destination&&) noexcept;

  enum class Result { written, closed_pipe };
  // Appends the output of `print`. `closed_pipe`: the reader is gone. Throws Error for any other failure, for example a
  // full disk.
  Result write(const std::function<void(std::ostream&)>& print);
  // Closes the file; without any write it is empty then. Throws Error, also for errors that a file system reports only
  // at close (a full quota on NFS).
  void close();
  [[nodiscard]] const std::string& path() const { return path_; }
  // The bytes written so far.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] bool is_regular() const { return is_regular_; }
  [[nodiscard]] bool is_stdout() const { return is_stdout_; }
  [[nodiscard]] int fd() const { return fd_.get(); }
  // Whether both are the same regular file, also under different names.
  [[nodiscard]] bool is_same_file(const Destination& other) const;

 private:
  void note_use();

  std::string path_;
  bool is_stdout_;
  Fd fd_;
  std::unique_ptr<DetachedWriter> detached_;  // has the file, and fd_ is a socket to it; nullptr: fd_ is the file
  bool is_regular_ = false;                   // of the file, also when fd_ is a socket
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::uint64_t bytes_ = 0;
  bool is_empty_ = false;   // whether earlier contents have been cut off
  bool is_unused_ = false;  // the file is neither written to nor closed yet
  // The directory of a file that was made and is unused, and its name there. None: the file existed before.
  Fd made_in_;
  std::string made_name_;
};

}  // namespace profile
