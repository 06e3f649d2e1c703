// The file of a database: a library writes it by its name and makes other files beside it, so it has to lie in a
// directory that nobody else may change. A lock, which a crash releases, keeps a second writer out.
#pragma once

#include <string>
#include <string_view>

#include "support/fd.h"

namespace profile {

class DatabaseFile {
 public:
  // Makes the file, only for its owner, or empties one that `is_ours` recognises by its first bytes (at most 512).
  // Throws Error when it cannot be made, when it is another kind of file, and when somebody else writes it.
  DatabaseFile(const std::string& path, bool (*is_ours)(std::string_view start));

  // Unlocks the file. No other descriptor of it may be closed while a library holds locks on it, because that would
  // release those.
  void close() { fd_.reset(); }

 private:
  Fd fd_;
};

// Whether a DatabaseFile is open on this file, here or in another process. `fd` is a descriptor of it.
[[nodiscard]] bool is_being_written(int fd);

}  // namespace profile
