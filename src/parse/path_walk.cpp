#include "parse/path_walk.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>
#include <vector>

#include "support/file_status.h"
#include "support/safe_open.h"

namespace profile {
namespace {

constexpr int most_links = 40;  // as in the kernel
// Each is open until the end. Real paths have a tenth of them.
constexpr std::size_t most_directories = 256;

// The file `name` in the directory, or the link itself. An automounter acts only if a directory is wanted.
Fd entry_of(const Fd& directory, const std::string& name, bool is_last) {
  Fd entry = open_path(directory.get(), name, O_NOFOLLOW | (is_last ? 0 : O_DIRECTORY), 0);
  if (!entry && errno == ENOTDIR) entry = open_path(directory.get(), name, O_NOFOLLOW, 0);
  return entry;
}

// Empty: it cannot be read.
std::string target_of(const Fd& link) {
  char target[PATH_MAX];
  const ssize_t size = ::readlinkat(link.get(), "", target, sizeof target);
  return {target, size > 0 ? static_cast<std::size_t>(size) : 0};
}

PathWalk refused(const char* why) { return {.place = {}, .refusal = why}; }

}  // namespace

PathWalk walk_to(std::string path, Fd root, Links links, const std::optional<ProcessRights>& rights) {
  // From the root directory on. ".." leads back to one that was passed, wherever it has been moved.
  std::vector<Fd> passed;
  passed.push_back(std::move(root));
  int followed = 0;
  while (passed.size() <= most_directories) {
    const std::size_t begin = path.find_first_not_of('/');
    if (begin == std::string::npos) return {.place = std::move(passed.back())};
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string name = path.substr(begin, end - begin);
    path.erase(0, end);
    const auto directory = status_of(passed.back().get());
    if (!directory) return {};
    if (!may_search(directory->mode, directory->owner, directory->group, rights)) return refused(closed_to_user);
    if (name == ".") continue;
    if (name == "..") {
      if (passed.size() > 1) passed.pop_back();
      continue;
    }
    Fd entry = entry_of(passed.back(), name, path.empty());
    const auto found = entry ? status_of(entry.get()) : std::nullopt;
    if (!found) return {};
    if (S_ISLNK(found->mode)) {
      if (links == Links::refused || ++followed > most_links) return refused("behind a symbolic link");
      const std::string target = target_of(entry);
      if (target.empty()) return {};
      if (target.starts_with('/')) passed.erase(passed.begin() + 1, passed.end());
      path.insert(0, target);
      continue;
    }
    if (!path.empty() && !S_ISDIR(found->mode)) return {};
    passed.push_back(std::move(entry));
  }
  return {};
}

}  // namespace profile
