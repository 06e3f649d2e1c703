// Finds where an output path leads, directory by directory. Another user may have put a link on the way, or a file at
// its end, so that the run would write or delete somewhere else; these are refused. All later work is relative to the
// descriptor of the directory, so that nobody can exchange it.
#pragma once

#include <dirent.h>

#include <cstddef>
#include <memory>
#include <string>

#include "files/caller.h"
#include "files/failure.h"
#include "support/fd.h"

namespace profile {

struct Place {
  Fd directory;            // O_PATH; none: the path leads to an open file, as /dev/fd/3 does
  std::string name;        // in `directory`; empty for a directory
  Fd file;                 // O_PATH: what has the name, never a link; none: nothing yet
  bool is_shared = false;  // users who are not trusted may change the directory
  bool is_served = false;  // the file or its directory lies on a file system that may never answer (detached_child.h)
  Failure failure;         // if there is any, nothing but is_served has a meaning
};

// The place of a file that may be missing. It is refused if others may change its directory and it belongs to one of
// them, or has a second name. A signal that ends a run kills the process while it waits for a file system that may
// never answer: call it before there is anything to report.
[[nodiscard]] Place find_file(const std::string& path, const Caller& caller = current_caller());

struct DirectoryNeeds {
  std::size_t made_from = std::string::npos;  // missing directories after so many bytes of the path are made
  bool stops_at_served = false;               // looks up no name on such a file system; is_served and a failure say so
};
[[nodiscard]] Place find_directory(const std::string& path, const DirectoryNeeds& needs,
                                   const Caller& caller = current_caller());

// The names in an open directory; nullptr: errno says why.
using Listing = std::unique_ptr<DIR, int (*)(DIR*)>;
[[nodiscard]] Listing list(const Fd& directory);

// Whether that name may be replaced in the directory: not if others may change it and the file belongs to one of them.
[[nodiscard]] Failure refusal_to_replace(const Place& directory, const std::string& name,
                                         const Caller& caller = current_caller());

}  // namespace profile
