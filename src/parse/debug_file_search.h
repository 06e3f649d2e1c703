// Knows where debug files are looked for, and how root may open each place: directories that the user listed; the same
// and /usr/lib/debug as the profiled process sees them; and the directory of a profiled file, whose owner filled it.
// The process must be able to read the file, because who asks may be under a file's control. Outside the first, the
// file must also belong to root or to the owner of the profiled file.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "process/code_file.h"
#include "process/file_rights.h"
#include "support/fd.h"

namespace profile {

// Whether the process has another root directory than ours, as far as its path tells. It may share our mounts (chroot),
// but the places for debug files are different. Waits for no file server.
[[nodiscard]] bool has_own_root(std::uint32_t tgid);

struct DebugQuestion {
  enum class Kind : std::uint8_t {
    build_id,   // `text` is in lower-case hex
    link,       // `text` is a bare file name, from .gnu_debuglink
    alternate,  // `text` is a path, from .gnu_debugaltlink
    package,    // split debug information of the whole program
    split,      // split debug information of one object; `text` is a path
    source,     // no debug file, but a source file; `text` is a path
    count
  };
  Kind kind = Kind::build_id;
  std::string text;
};

// The file whose debug files are looked for.
struct DebugBase {
  int fd = -1;
  std::string path;  // as the kernel tells it for `mapped_by`
  MappedBy mapped_by;
  std::uint64_t owner = 0;                             // as ContentOwners::of()
  std::optional<ProcessRights> rights = std::nullopt;  // of the process that uses it; not set: the process was gone
};

class DebugFileSearch {
 public:
  // `directories`: the user's own, in our view.
  explicit DebugFileSearch(const std::vector<std::string>& directories);

  // The paths, in our view, of the debug file with that build-id, in lower-case hex. Empty if it is none.
  [[nodiscard]] std::vector<std::string> paths_of_build(const std::string& build_id) const;

  // Whether a directory in our view may be looked into; "": whether the files may be that the process sees. Called
  // before each look, because each belongs to somebody else.
  using MayLookInto = std::function<bool(const std::string& directory)>;
  // Opens the first existing candidate from number `next` on, and sets `next` behind it. No Fd: no candidate is left,
  // and `why` says why the last one failed. The file found may be any ELF file: its reader must compare the build-id.
  [[nodiscard]] Fd open(const DebugQuestion& question, const DebugBase& base, const MayLookInto& may_look_into,
                        unsigned& next, std::string& why) const;

 private:
  struct Candidate;
  [[nodiscard]] std::vector<Candidate> candidates(const DebugQuestion& question, const DebugBase& base,
                                                  bool is_rooted_elsewhere, const MayLookInto& may_look_into) const;
  // The listed directory that `path` lies in; empty: none.
  [[nodiscard]] std::string listed_directory_of(const std::string& path, const MayLookInto& may_look_into) const;

  std::vector<std::string> directories_;
};

}  // namespace profile
