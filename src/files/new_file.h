// A file that nobody sees until it is whole: written without a name, or with one that says nothing, and then given its
// own in one step. Failures are errnos, because whoever writes many of them goes on.
#pragma once

#include <string>

#include "support/fd.h"

namespace profile {

class NewFile {
 public:
  // In the directory, which must outlive it. error() tells whether it could be made.
  explicit NewFile(int directory_fd);
  // What was never published is gone.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  [[nodiscard]] int error() const { return error_; }
  // To write to.
  [[nodiscard]] int fd() const { return fd_.get(); }

  // All has been written: says what a file system says only at the end (a full quota on NFS). 0 or an errno.
  [[nodiscard]] int finish();
  enum class IfTaken { fail, replace };
  // Gives it its name; EEXIST when that is taken, and it can be tried with another. 0 or an errno.
  [[nodiscard]] int publish(const std::string& name, IfTaken if_taken);

 private:
  [[nodiscard]] int link_to(const std::string& name) const;
  [[nodiscard]] int give_interim_name();

  int directory_fd_;
  Fd fd_;
  std::string interim_name_;  // empty: it has none
  int error_ = 0;
};

}  // namespace profile
