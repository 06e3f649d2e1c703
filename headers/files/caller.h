// For whom this process writes files: its own user, and under sudo the user who called sudo. Files and links of these
// users and of root are trusted.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "files/readers.h"
#include "support/fd.h"

namespace profile {

struct Caller {
  struct Sudo {
    uid_t uid = 0;
    gid_t gid = 0;
  };
  uid_t uid = 0;             // of this process (effective)
  std::optional<Sudo> sudo;  // only for root, and never root itself

  // Whether files of that user are ours: made by an earlier run of the same caller.
  [[nodiscard]] bool is_own(uid_t owner) const { return owner == uid || (sudo && owner == sudo->uid); }
  [[nodiscard]] bool trusts(uid_t owner) const { return owner == 0 || is_own(owner); }
};

// `sudo_uid` and `sudo_gid`: the values of these variables, or nullptr. They count only when both are numbers.
[[nodiscard]] Caller caller_of(uid_t effective_uid, const char* sudo_uid, const char* sudo_gid);
[[nodiscard]] Caller current_caller();

// Makes a file for writing. `flags`: O_TMPFILE, or O_CREAT | O_EXCL. It belongs to the caller of sudo from the start.
[[nodiscard]] Fd make_file(int directory, const std::string& name, int flags, Readers readers);
// Gives a file or directory that we have just made to the caller of sudo. Without sudo, and on a file system that has
// no owners, it stays as it is.
void hand_over(const Fd& made, const Caller& caller);

}  // namespace profile
