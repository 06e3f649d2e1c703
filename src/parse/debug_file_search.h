// The places where debug files are looked for, and how each may be opened by root: directories that the person who runs
// us listed, the same and /usr/lib/debug as the profiled process sees them, and whatever directory a profiled file
// happens to lie in, which its owner furnished. Nothing but a regular file is ever opened for reading.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "process/code_file.h"
#include "support/fd.h"

namespace profile {

// Whether the process has another root directory than ours, as far as its path tells: it may share our mounts (chroot),
// but not the places where debug files lie. Asks no file server.
[[nodiscard]] bool has_own_root(std::uint32_t tgid);

struct DebugQuestion {
  enum class Kind : std::uint8_t {
    build_id,   // `text`: in lower-case hex
    link,       // a bare file name, out of .gnu_debuglink
    alternate,  // a path, out of .gnu_debugaltlink
    package,    // split debug information of the whole program
    split,      // of one object: a path
    count
  };
  Kind kind = Kind::build_id;
  std::string text;
};

// The file whose debug files are looked for.
struct DebugBase {
  int fd = -1;
  std::string path;  // as the kernel tells it of `mapped_by`
  MappedBy mapped_by;
};

class DebugFileSearch {
 public:
  // `directories`: the person's own, as we see them.
  explicit DebugFileSearch(const std::vector<std::string>& directories);

  // Whether one of the directories as we see them may be looked into. Asked before each time.
  using MayLookInto = std::function<bool(const std::string& directory)>;
  // The first that there is of the candidates from number `next` on, which is set behind it. No Fd: there is none any
  // more, and `why` says why not the last. What is found may be any file: whoever reads it compares the build-id.
  [[nodiscard]] Fd open(const DebugQuestion& question, const DebugBase& base, const MayLookInto& may_look_into,
                        unsigned& next, std::string& why) const;

 private:
  struct Candidate;
  [[nodiscard]] std::vector<Candidate> candidates(const DebugQuestion& question, const DebugBase& base,
                                                  bool is_rooted_elsewhere, const MayLookInto& may_look_into) const;
  // The directory that `path` lies in; empty: none.
  [[nodiscard]] std::string listed_directory_of(const std::string& path, const MayLookInto& may_look_into) const;

  std::vector<std::string> directories_;
};

}  // namespace profile
