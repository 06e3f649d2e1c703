// How a file is opened that is to be written: it is kept as it is until the first report, and a FIFO waits for its
// reader.
#pragma once

#include <sys/types.h>

#include <string>

#include "support/fd.h"

namespace profile {

struct OpenedOutput {
  Fd fd;                    // none: `error` says why
  int error = 0;            // errno
  std::string made_at;      // the path, no link, where it was made; empty: it was there
  bool is_regular = false;  // and then:
  dev_t device = 0;
  ino_t inode = 0;
};
// While a FIFO has no reader, a signal ends the program.
[[nodiscard]] OpenedOutput open_output(const std::string& path);
// Removes what it made at that path, if nothing was written to it.
void remove_unwritten(const std::string& made_at, dev_t device, ino_t inode);
// As of the file that is open.
void note_identity(OpenedOutput& output);

}  // namespace profile
