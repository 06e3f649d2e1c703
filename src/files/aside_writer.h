// Writes a file where that may wait for ever, in a process of its own. It alone has the file open: closing it may wait,
// too.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "files/aside.h"
#include "support/fd.h"
#include "support/socket_pair.h"

namespace profile {

class AsideWriter {
 public:
  // Whether the file, or the directory in which it would be made, is one for this. Looks without opening.
  [[nodiscard]] static bool is_for(const std::string& path);

  // Throws Error when the file cannot be opened. What it holds goes with the first byte that is written, or at its
  // proper end; what was made in vain is gone.
  explicit AsideWriter(const std::string& path) : AsideWriter(path, new_socket_pair()) {}

  // What is written to this socket, which does not wait, is written to the file.
  [[nodiscard]] Fd take_socket() { return std::move(socket_); }
  [[nodiscard]] dev_t device() const { return opened_.device; }
  [[nodiscard]] ino_t inode() const { return opened_.inode; }
  // No more comes, or it broke: waits until all is written and closed. The errno of what went wrong; ETIMEDOUT: it is
  // left behind.
  int finish(const Fd& socket);
  // Nothing has come, and nothing will: what was made in vain is gone.
  void abandon(Fd socket);

 private:
  struct Opened {
    int error = 0;
    dev_t device = 0;
    ino_t inode = 0;
  };
  AsideWriter(const std::string& path, std::pair<Fd, Fd> ends);
  [[nodiscard]] static int serve(const std::string& path);

  Fd socket_;
  Aside child_;
  Opened opened_;
};

}  // namespace profile
