// Writes a file in a child process where writing may block for ever. Only the child has the file open, because closing
// may block, too.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "children/detached_child.h"
#include "files/failure.h"
#include "files/readers.h"
#include "support/fd.h"

namespace profile {

class DetachedWriter {
 public:
  // Throws Error when the file cannot be opened. The first byte written, or finish(), cuts off the old contents.
  DetachedWriter(const std::string& path, Readers readers);

  // The child writes everything from this socket to the file. The socket is non-blocking.
  [[nodiscard]] Fd take_socket() { return std::move(socket_); }
  [[nodiscard]] dev_t device() const { return opened_.device; }
  [[nodiscard]] ino_t inode() const { return opened_.inode; }
  // Call it after the last byte, or when the socket broke. Waits until the file is written and closed, and returns an
  // errno; ETIMEDOUT: the child is left behind.
  int finish(const Fd& socket);
  // Call it when nothing was written. The child removes the file if it made it.
  void abandon(Fd socket);

 private:
  struct Opened {
    SentFailure failure;
    dev_t device = 0;
    ino_t inode = 0;
  };
  [[nodiscard]] static int serve(const Fd& socket, const std::string& path, Readers readers);

  DetachedChild child_;
  Fd socket_;
  Opened opened_;
};

}  // namespace profile
