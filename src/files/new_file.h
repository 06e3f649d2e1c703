// A file that is not visible until it is complete. It is written without a name or under an interim name, and then gets
// its own name in one step. Errors are errnos, because the caller goes on after one.
#pragma once

#include <functional>
#include <string>

#include "files/readers.h"
#include "support/fd.h"

namespace profile {

class NewFile {
 public:
  // Makes the file in that directory, which must stay open. error() says whether it failed.
  NewFile(int directory_fd, Readers readers);
  // Removes a file that was not published.
  ~NewFile();

  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] int fd() const { return fd_.get(); }

  // Call it after the last write. Returns 0 or an errno, also one that a file system reports only at close (a full
  // quota on NFS).
  [[nodiscard]] int finish();
  enum class IfTaken { fail, replace };
  // Gives the file its name. Returns 0 or an errno; after EEXIST the caller can try another name.
  [[nodiscard]] int publish(const std::string& name, IfTaken if_taken);

 private:
  [[nodiscard]] int link_to(const std::string& name) const;
  // Calls `take` with interim names until it does not return EEXIST, and returns its errno.
  [[nodiscard]] int take_interim_name(const std::function<int(const std::string&)>& take);

  int directory_fd_;
  Fd fd_;
  std::string interim_name_;  // empty: it has none
  int error_ = 0;
};

}  // namespace profile
