// Opens a file for writing. The file keeps its contents until the first report; a FIFO waits for its reader.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "support/fd.h"

namespace profile {

class DetachedWriter;

struct OpenedOutput {
  Fd fd;                // invalid after an error
  int error = 0;        // errno
  std::string made_at;  // the real path of a file that was made; empty: the file existed before
  bool is_regular = false;
  dev_t device = 0;
  ino_t inode = 0;
};
// While it waits for the reader of a FIFO, a signal ends the program.
[[nodiscard]] OpenedOutput open_output(const std::string& path);
// Removes the file at `made_at` if it is still this file and is empty.
void remove_unwritten(const std::string& made_at, dev_t device, ino_t inode);
// Opens an output as the user named it. "-" is stdout, and `path` becomes its name. If writing to the file may block
// for ever, `detached` has the file, and the descriptor is a socket to it. Throws Error.
[[nodiscard]] OpenedOutput open_named_output(std::string& path, std::unique_ptr<DetachedWriter>& detached);

}  // namespace profile
