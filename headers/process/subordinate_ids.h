// Whose the subordinate user ids of /etc/subuid are. A user may have tens of thousands of them, in user namespaces of
// his own, and the files that he makes there keep their owners outside of the namespace.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profile {

struct SubordinateRange {
  std::uint32_t user = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  friend bool operator==(const SubordinateRange&, const SubordinateRange&) = default;
};

// The ranges in texts as of /etc/subuid and /etc/passwd. Not those of the system's users (below 1000): they stand for
// services, such as dockremap, and each id of them is a user by itself. A name that is not in `passwd` belongs to a
// user of the network, for whom the first id of his first range stands.
[[nodiscard]] std::vector<SubordinateRange> subordinate_ranges(std::string_view subuid, std::string_view passwd);

class SubordinateIds {
 public:
  explicit SubordinateIds(std::string subuid = "/etc/subuid", std::string passwd = "/etc/passwd");

  // The user who has that subordinate id; `uid` itself when nobody has. A file that has changed is read again.
  [[nodiscard]] std::uint32_t user_of(std::uint32_t uid);

 private:
  struct Source {
    std::string path;
    struct stat seen {};
  };
  // Whether it is another file than the last time, or has another content.
  static bool has_changed(Source& source);

  Source subuid_;
  Source passwd_;
  bool is_read_ = false;
  std::vector<SubordinateRange> ranges_;
};

}  // namespace profile
