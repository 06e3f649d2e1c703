// The two kinds of places where debug files are looked for, and how each may be opened by root: directories that the
// person who runs us listed, and whatever directory a profiled file happens to lie in, which its owner furnished.
// Nothing but a regular file is ever opened for reading: no FIFO blocks, no device acts.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "support/fd.h"

namespace profile {

// In a listed directory symbolic links are followed wherever they lead: they are how distributions arrange theirs.
[[nodiscard]] Fd open_listed(const std::string& path);

// The directory that an open file lies in.
class Beside {
 public:
  // `path`: where a process saw the file. nullopt unless the same path leads to the same file for us, too: a process
  // may see other mounts, or the file may be gone from there.
  [[nodiscard]] static std::optional<Beside> of(int fd, std::string_view path);
  // `name`: a bare file name. Follows no link, leaves neither the directory nor its file system, and takes no file of
  // anybody but root or the owner of the file it lies beside.
  [[nodiscard]] Fd open(const std::string& name) const;
  // The same in the directory's own ".debug".
  [[nodiscard]] Fd open_in_debug_folder(const std::string& name) const { return open_below(".debug/" + name); }

 private:
  Beside(Fd directory, uid_t owner) : directory_(std::move(directory)), owner_(owner) {}
  [[nodiscard]] Fd open_below(const std::string& path) const;

  Fd directory_;
  uid_t owner_;
};

}  // namespace profile
