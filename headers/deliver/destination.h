// Where a report goes: a file or stdout. Opened before sampling starts, so that a directory that cannot be written to
// is said at once and not after the run.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "support/fd.h"

namespace profile {

class Destination {
 public:
  // "-" is stdout. Throws Error when the file cannot be opened. An existing file keeps its contents until there
  // is something to write.
  explicit Destination(std::string path);

  enum class Result { written, closed_pipe };
  // Appends what `print` prints. `closed_pipe`: nobody reads any more. Throws Error for all else that goes wrong, a
  // full disk for instance.
  Result write(const std::function<void(std::ostream&)>& print);
  // Ends it: what a file system says only at close (a full quota on NFS) is thrown as Error here.
  void close();
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_stdout() const { return is_stdout_; }
  [[nodiscard]] int fd() const { return fd_.get(); }
  // Whether both are one regular file, by whatever names.
  [[nodiscard]] bool is_same_file(const Destination& other) const;

 private:
  std::string path_;
  bool is_stdout_;
  Fd fd_;
  bool is_empty_ = false;  // whether earlier contents have been cut off
};

}  // namespace profile
