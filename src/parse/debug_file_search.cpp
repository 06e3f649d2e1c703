#include "parse/debug_file_search.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "parse/file_kind.h"
#include "parse/path_walk.h"
#include "support/file_status.h"
#include "support/safe_open.h"

namespace profile {
namespace {

namespace fs = std::filesystem;

constexpr const char* system_directory = "/usr/lib/debug";
// The shortest build-id that gives both a directory name and a file name.
constexpr std::size_t fewest_hex_digits = 4;
// The packages of the largest programs have some gigabytes.
constexpr std::uint64_t most_file_bytes = std::uint64_t{16} << 30;

// In whose view of the files a candidate is opened, and how far that place is trusted.
enum class Way : std::uint8_t {
  ours,         // our view; links are followed wherever they lead: distributions use them here
  theirs,       // the process's root directory; links cannot lead out of it
  beside,       // the directory of the file itself; no links
  recorded,     // a path that a compiler wrote, in the process's root directory; no links
  open_source,  // likewise a source that everyone may read; links cannot lead out of the root directory
  own_source    // a source that the process may read; no links, and no other name that somebody may have made
};

Fd root_of(const MappedBy& mapped_by) {
  Fd root;
  if (mapped_by.tgid != 0) {
    const std::string path = "/proc/" + std::to_string(mapped_by.tgid) + "/root";
    root = Fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  // The process is gone, but it saw the same files as this process.
  if (!root && mapped_by.own_mounts) root = Fd(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  return root;
}

// The path of a process's root directory if it is another one than ours; otherwise empty.
std::string own_root_of(std::uint32_t tgid) {
  if (tgid == 0) return {};
  std::error_code error;
  std::string root = fs::read_symlink("/proc/" + std::to_string(tgid) + "/root", error);
  return root.size() > 1 ? std::move(root) : std::string();
}

// Gives `base` the path that the process sees. The kernel tells the path from the root of all mounts on, even when the
// process has another root directory.
DebugBase as_seen_inside(const DebugBase& base, const std::string& own_root) {
  DebugBase inside = base;
  if (!own_root.empty() && base.path.starts_with(own_root + "/")) inside.path = base.path.substr(own_root.size());
  return inside;
}

bool is_source(Way way) { return way == Way::open_source || way == Way::own_source; }

// Opens `place` for reading if it is an ELF file (or a source, when that is wanted), not too large, and one that the
// process of `base` may read: a link in our own directories may lead anywhere. Outside them it must also be one that
// may speak for `base`. No Fd: `why` says why not.
Fd checked(const Fd& place, const DebugBase& base, Way way, std::string& why) {
  const bool is_in_ours = way == Way::ours;
  Mounts mounts;
  const auto look = place ? look_at(place, mounts, is_in_ours ? 0 : base.mapped_by.tgid) : std::nullopt;
  ContentOwners owners;
  const std::uint64_t owner = look && !is_in_ours ? owners.of(*look, base.mapped_by) : 0;
  if (!look) {
    why = "not there";
  } else if (look->refusal != nullptr) {
    why = look->refusal;
  } else if (look->found.stx_size == 0) {
    why = "empty";
  } else if (look->found.stx_size > most_file_bytes) {
    why = "too large";
  } else if (owner != 0 && owner != base.owner) {
    why = "of another owner than the program";
  } else if (way == Way::own_source && look->found.stx_nlink > 1) {
    why = "not there under this name alone";
  } else if (!may_read(look->found.stx_mode, look->found.stx_uid, look->found.stx_gid, base.rights)) {
    why = closed_to_user;
  } else {
    Fd fd = reopen(place);
    if (!fd) {
      why = std::strerror(errno);
    } else if (!is_source(way) && !begins_as(FileKind::elf, fd.get())) {
      why = "no ELF file";
      fd.reset();
    }
    return fd;
  }
  return {};
}

// The directory of the open file. No Fd unless the same path leads to the same file there: the file may be gone.
Fd directory_of(const DebugBase& base) {
  const std::size_t slash = base.path.rfind('/');
  if (!base.path.starts_with('/') || base.path.find('\0') != std::string::npos) return {};
  const Fd root = root_of(base.mapped_by.tgid == 0 ? MappedBy{.own_mounts = true} : base.mapped_by);
  if (!root) return {};
  Fd directory = open_path(root.get(), base.path.substr(0, slash + 1), O_DIRECTORY, RESOLVE_IN_ROOT);
  const std::string name = base.path.substr(slash + 1);
  if (!directory || name.empty()) return {};
  const Fd itself =
      open_path(directory.get(), name, O_NOFOLLOW, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
  const auto wanted = status_of(base.fd);
  const auto found = itself ? status_of(itself.get()) : std::nullopt;
  if (!wanted || !found || wanted->device != found->device || wanted->inode != found->inode) return {};
  return directory;
}

// The path that the kernel gives to an open file, in our view.
std::string path_of(int fd) {
  std::error_code error;
  return fs::read_symlink("/proc/self/fd/" + std::to_string(fd), error).string();
}

// Whether `path` lies below `directory`. Neither has "." or ".." in it.
bool is_below(const fs::path& path, const fs::path& directory) {
  const auto [end, rest] = std::mismatch(directory.begin(), directory.end(), path.begin(), path.end());
  return end == directory.end() && rest != path.end();
}

std::string without_trailing_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// Below a directory of debug files; "" if it is no build-id.
std::string place_of_build(const std::string& hex) {
  if (hex.size() < fewest_hex_digits || hex.find_first_not_of("0123456789abcdef") != std::string::npos) return {};
  return "/.build-id/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".debug";
}

bool is_plain_folder(const std::string& folder) {
  return folder.starts_with('/') && folder.find('\0') == std::string::npos && folder.find("/../") == std::string::npos;
}

}  // namespace

bool has_own_root(std::uint32_t tgid) { return !own_root_of(tgid).empty(); }

struct DebugFileSearch::Candidate {
  Way way = Way::ours;
  std::string path;
  std::string directory = {};  // for Way::ours: the listed directory; otherwise ""
};

DebugFileSearch::DebugFileSearch(const std::vector<std::string>& directories) {
  for (const std::string& directory : directories)
    directories_.push_back(without_trailing_slash(fs::absolute(directory).lexically_normal().string()));
}

std::vector<std::string> DebugFileSearch::paths_of_build(const std::string& build_id) const {
  const std::string place = place_of_build(build_id);
  std::vector<std::string> paths;
  if (place.empty()) return paths;
  for (const std::string& directory : directories_) paths.push_back(directory + place);
  paths.push_back(system_directory + place);
  return paths;
}

// The user's own directories come first, the system's directory comes last.
std::vector<DebugFileSearch::Candidate> DebugFileSearch::candidates(const DebugQuestion& question,
                                                                    const DebugBase& base, bool is_rooted_elsewhere,
                                                                    const MayLookInto& may_look_into) const {
  std::vector<Candidate> all;
  const auto in_directories = [&](const std::string& below) {
    for (const std::string& directory : directories_) all.push_back({Way::ours, directory + below, directory});
    const bool sees_others = base.mapped_by.tgid != 0 && (is_rooted_elsewhere || !base.mapped_by.own_mounts);
    if (sees_others) all.push_back({Way::theirs, system_directory + below});
    all.push_back({Way::ours, system_directory + below, system_directory});
  };
  const std::string& text = question.text;
  switch (question.kind) {
    case DebugQuestion::Kind::build_id:
      if (const std::string place = place_of_build(text); !place.empty()) in_directories(place);
      break;
    case DebugQuestion::Kind::link: {
      if (text.find('/') != std::string::npos) break;
      all.push_back({Way::beside, text});
      all.push_back({Way::beside, ".debug/" + text});
      const std::string folder = base.path.substr(0, base.path.rfind('/') + 1);
      if (is_plain_folder(folder)) in_directories(folder + text);
      break;
    }
    case DebugQuestion::Kind::alternate: {
      const fs::path target = (fs::path(path_of(base.fd)).parent_path() / text).lexically_normal();
      // An untrusted file names this path. It may be opened only if it leads into one of the listed directories.
      const std::string in = target.is_absolute() ? listed_directory_of(target.string(), may_look_into) : std::string();
      if (!in.empty()) all.push_back({Way::ours, target.string(), in});
      // All of /usr/lib/debug may have been unpacked in another place.
      constexpr std::string_view shared_folder = "/.dwz/";
      if (const auto at = target.string().rfind(shared_folder); at != std::string::npos) {
        in_directories(target.string().substr(at));
      }
      if (text.find('/') == std::string::npos) all.push_back({Way::beside, text});
      break;
    }
    case DebugQuestion::Kind::package:
      all.push_back({Way::recorded, base.path + ".dwp"});
      break;
    case DebugQuestion::Kind::split:
      all.push_back({Way::recorded, text});
      break;
    case DebugQuestion::Kind::source:
      all.push_back({Way::open_source, text});
      all.push_back({Way::own_source, text});
      break;
    case DebugQuestion::Kind::count:
      break;
  }
  return all;
}

std::string DebugFileSearch::listed_directory_of(const std::string& path, const MayLookInto& may_look_into) const {
  std::vector<std::string> all = directories_;
  all.emplace_back(system_directory);
  for (const std::string& directory : all) {
    if (is_below(path, directory)) return directory;
    if (!may_look_into(directory)) continue;
    std::error_code error;
    const fs::path real = fs::canonical(directory, error);
    if (!real.empty() && is_below(path, real)) return directory;
  }
  return {};
}

Fd DebugFileSearch::open(const DebugQuestion& question, const DebugBase& given, const MayLookInto& may_look_into,
                         unsigned& next, std::string& why) const {
  const std::string own_root = own_root_of(given.mapped_by.tgid);
  DebugBase base = as_seen_inside(given, own_root);
  const std::vector<Candidate> all = candidates(question, base, !own_root.empty(), may_look_into);
  why = "not there";
  while (next < all.size()) {
    const auto& [way, path, directory_of_ours] = all[next++];
    if (path.find('\0') != std::string::npos || !may_look_into(directory_of_ours)) continue;
    Fd place;
    const char* refusal = nullptr;
    base.rights = way == Way::open_source ? std::nullopt : given.rights;
    switch (way) {
      case Way::ours:
        place = open_path(AT_FDCWD, path, 0, 0);
        break;
      case Way::beside:
        if (const Fd directory = directory_of(base)) {
          place = open_path(directory.get(), path, 0, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
        }
        break;
      case Way::theirs:
      case Way::recorded:
      case Way::open_source:
      case Way::own_source:
        if (Fd root = path.starts_with('/') ? root_of(base.mapped_by) : Fd()) {
          const bool follows = way == Way::theirs || way == Way::open_source;
          const Links links = follows ? Links::followed : Links::refused;
          PathWalk walk = walk_to(path, std::move(root), links, base.rights);
          place = std::move(walk.place);
          refusal = walk.refusal;
        }
        break;
    }
    if (Fd found = checked(place, base, way, why)) return found;
    if (refusal != nullptr) why = refusal;
  }
  return {};
}

}  // namespace profile
