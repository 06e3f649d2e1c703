// Who has made the user namespace of a process. A user who makes one has many user ids there, which must not count as
// many users.
#pragma once

#include <cstdint>
#include <string_view>

#include "process/subordinate_ids.h"

namespace profile {

class UserNamespaces {
 public:
  UserNamespaces();

  // The number of the process's namespace; 0: it is ours. When it is not known, it is UINT64_MAX.
  [[nodiscard]] std::uint64_t number_of(std::uint32_t tgid) const;
  // The user who made the process's namespace; for nested namespaces, the maker of the outermost one below ours. 0 for
  // our namespace, for those that root has made, and when it is not known.
  [[nodiscard]] std::uint32_t maker_for(std::uint32_t tgid) const;
  // The user behind an id that a process or a file of its has: the maker of the process's namespace, if the namespace
  // has that id; else who has the id for namespaces of his own (/etc/subuid); otherwise `uid` itself.
  [[nodiscard]] std::uint32_t user_behind(std::uint32_t uid, std::uint32_t tgid);
  // The last two of these alone.
  [[nodiscard]] std::uint32_t user_of(std::uint32_t uid) { return subordinates_.user_of(uid); }

 private:
  std::uint64_t own_;
  SubordinateIds subordinates_;
};

// Whether a text as of /proc/PID/uid_map has the user `uid` in its second column, that of the reader's namespace.
[[nodiscard]] bool maps_user(std::string_view uid_map, std::uint32_t uid);

}  // namespace profile
