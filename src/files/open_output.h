// Opens a file for writing. The file keeps its contents until the first report; a FIFO waits for its reader.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "files/failure.h"
#include "files/readers.h"
#include "support/fd.h"

namespace profile {

class DetachedWriter;
struct Place;

struct OpenedOutput {
  Fd fd;  // invalid after an error
  Failure failure = {};
  Fd made_in;             // the directory in which the file was made; none: the file existed before
  std::string made_name;  // there
  bool is_regular = false;
  dev_t device = 0;
  ino_t inode = 0;
};
// While it waits for the reader of a FIFO, a signal ends the program.
[[nodiscard]] OpenedOutput open_output(Place place, Readers readers);
// Removes the file that was made there if it is still this one and is empty.
void remove_unwritten(const Fd& made_in, const std::string& made_name, dev_t device, ino_t inode);
// Opens an output as the user named it. "-" is stdout, and `path` becomes its name. If writing to the file may block
// for ever, `detached` has the file, and the descriptor is a socket to it. Throws Error. While it looks the path up, a
// signal ends the program.
[[nodiscard]] OpenedOutput open_named_output(std::string& path, Readers readers,
                                             std::unique_ptr<DetachedWriter>& detached);

}  // namespace profile
