// Where a report goes: a file or stdout. Opened before sampling starts, so that a directory that cannot be written to
// is said at once and not after the run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "support/fd.h"

namespace profile {

class AsideWriter;

class Destination {
 public:
  // "-" is stdout. Throws Error when the file cannot be opened. An existing file keeps its contents until there
  // is something to write.
  explicit Destination(std::string path);
  // A file that it made, and that nothing was written to before an error ended the run, is gone.
  ~Destination();
  Destination(Destination&&) noexcept;
  Destination& operator=(Destination&&) = delete;
  Destination(const Destination&) = delete;
  Destination& operator=(const Destination&) = delete;

  enum class Result { written, closed_pipe };
  // Appends what `print` prints. `closed_pipe`: nobody reads any more. Throws Error for all else that goes wrong, a
  // full disk for instance.
  Result write(const std::function<void(std::ostream&)>& print);
  // Ends it: what a file system says only at close (a full quota on NFS) is thrown as Error here.
  void close();
  [[nodiscard]] const std::string& path() const { return path_; }
  // Written up to now.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] bool is_regular() const { return is_regular_; }
  [[nodiscard]] bool is_stdout() const { return is_stdout_; }
  [[nodiscard]] int fd() const { return fd_.get(); }
  // Whether both are one regular file, by whatever names.
  [[nodiscard]] bool is_same_file(const Destination& other) const;

 private:
  [[noreturn]] void refuse(int error) const;

  std::string path_;
  bool is_stdout_;
  Fd fd_;
  std::unique_ptr<AsideWriter> aside_;  // has the file, and fd_ is a socket to it; null: fd_ is the file
  bool is_regular_ = false;             // the file
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::uint64_t bytes_ = 0;
  bool is_empty_ = false;    // whether earlier contents have been cut off
  bool is_in_vain_ = false;  // until it is written to or closed
  std::string made_at_;      // no link; empty: the file was there
};

}  // namespace profile
