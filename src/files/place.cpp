#include "files/place.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "support/mounts.h"
#include "support/safe_open.h"
#include "support/signals.h"

namespace profile {
namespace {

constexpr int most_links = 40;  // as the kernel has it
// Local file systems that have no block device of their own.
constexpr std::string_view local[] = {"tmpfs", "ramfs", "btrfs", "zfs", "bcachefs", "hugetlbfs"};
// Whether a server or another process serves the file, so that it may never answer.
bool is_served_elsewhere(const Look& look) {
  if (look.found.stx_dev_major != 0 || look.is_memory) return false;
  return std::find(std::begin(local), std::end(local), look.mount.type) == std::end(local);
}

std::string words_of_owner(uid_t owner) {
  return "belongs to user " + std::to_string(owner) + ", who is neither root nor you";
}

Failure refusal_of_file(uid_t owner) {
  return {.error = EPERM, .why = "the file " + words_of_owner(owner) + ", and others may write its directory"};
}

bool is_empty_directory(const Fd& directory) {
  const Listing listing = list(directory);
  if (!listing) return false;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return false;
  }
  return true;
}

class Walk {
 public:
  Walk(const Caller& caller, const DirectoryNeeds& needs, bool wants_file)
      : caller_(caller), needs_(needs), wants_file_(wants_file) {}

  Place find(const std::string& path) {
    const bool is_directory = path.ends_with('/');
    if (path.empty() || path.size() >= PATH_MAX || (wants_file_ && is_directory)) {
      fail(path.empty() ? ENOENT : path.size() >= PATH_MAX ? ENAMETOOLONG : EISDIR);
      return std::move(place_);
    }
    begin_at(path);
    add_steps(path, needs_.made_from);
    while (!steps_.empty() && !is_over_) {
      const Step step = std::move(steps_.back());
      steps_.pop_back();
      if (step.name == ".") continue;
      if (wants_file_ && steps_.empty() && step.name != "..") {
        take_file(step.name);
      } else {
        take_directory(step);
      }
    }
    if (!is_over_ && wants_file_) fail(EISDIR);
    return std::move(place_);
  }

 private:
  struct Step {
    std::string name;
    bool may_be_made = false;
  };

  void fail(Failure failure) {
    place_.failure = std::move(failure);
    is_over_ = true;
  }
  void fail(int error) { fail(Failure{.error = error}); }
  void refuse(const std::string& why) { fail(Failure{.error = EPERM, .why = why}); }

  void begin_at(std::string_view path) {
    walked_ = path.starts_with('/') ? "/" : "";
    enter(Fd(::open(walked_.empty() ? "." : "/", O_PATH | O_DIRECTORY | O_CLOEXEC)));
  }

  // The next step is the last element.
  void add_steps(std::string_view path, std::size_t made_from) {
    for (std::size_t end = path.size(); end != 0;) {
      const std::size_t slash = path.rfind('/', end - 1);
      const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
      if (begin != end)
        steps_.push_back({.name = std::string(path.substr(begin, end - begin)), .may_be_made = begin >= made_from});
      end = begin == 0 ? 0 : begin - 1;
    }
  }

  [[nodiscard]] Fd open_here(const std::string& name, int flags) const {
    std::optional<EndSignalsKill> kill;
    if (wants_file_ && place_.is_served) kill.emplace();
    return Fd(::openat(place_.directory.get(), name.c_str(), O_PATH | O_CLOEXEC | flags));
  }

  // nullopt: the walk has failed.
  std::optional<Look> look(const Fd& fd) {
    std::optional<Look> look;
    if (fd) look = look_at(fd, mounts_, 0);
    if (!look) fail(errno);
    return look;
  }

  void enter(Fd directory) {
    const auto look = this->look(directory);
    if (!look) return;
    place_.directory = std::move(directory);
    place_.is_served = is_served_elsewhere(*look);
    place_.is_shared = (look->found.stx_mode & (S_IWGRP | S_IWOTH)) != 0 || !caller_.trusts(look->found.stx_uid);
    if (place_.is_served && needs_.stops_at_served) fail(Failure{.error = ETIMEDOUT, .why = takes_nothing});
  }

  void take_directory(const Step& step) {
    Fd next = open_here(step.name, O_DIRECTORY | O_NOFOLLOW);
    if (!next && errno == ENOENT && step.may_be_made) next = make(step.name);
    if (next) {
      walked_ += step.name + '/';
      return enter(std::move(next));
    }
    if (errno != ENOTDIR && errno != ELOOP) return fail(errno);
    const Fd link = open_here(step.name, O_NOFOLLOW);
    const auto look = this->look(link);
    if (!look) return;
    if (S_ISLNK(look->found.stx_mode)) return follow(link, *look, step.name);
    fail(ENOTDIR);
  }

  void take_file(const std::string& name) {
    Fd file = open_here(name, O_NOFOLLOW);
    if (!file && errno == ENOENT) {
      place_.name = name;
      is_over_ = true;
      return;
    }
    const auto look = this->look(file);
    if (!look) return;
    if (S_ISLNK(look->found.stx_mode)) return follow(file, *look, name);
    if (place_.is_shared && !caller_.trusts(look->found.stx_uid)) {
      return fail(refusal_of_file(look->found.stx_uid));
    }
    if (place_.is_shared && !S_ISDIR(look->found.stx_mode) && look->found.stx_nlink > 1) {
      return refuse("the file has another name, too (a hard link), and others may write its directory");
    }
    place_.name = name;
    end_at(std::move(file), *look);
  }

  void end_at(Fd file, const Look& look) {
    if (S_ISDIR(look.found.stx_mode)) return fail(EISDIR);
    place_.file = std::move(file);
    place_.is_served = S_ISREG(look.found.stx_mode) && is_served_elsewhere(look);
    is_over_ = true;
  }

  void follow(const Fd& link, const Look& look, const std::string& name) {
    if (++links_ > most_links) return fail(ELOOP);
    if (place_.is_shared && !caller_.trusts(look.found.stx_uid)) {
      return refuse("the link " + walked_ + name + ' ' + words_of_owner(look.found.stx_uid));
    }
    if (look.mount.type == "proc") return follow_in_kernel(name);
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlinkat(link.get(), "", target.data(), target.size() - 1);
    if (size <= 0) return fail(size < 0 ? errno : ENOENT);
    if (target[0] == '/') begin_at("/");
    add_steps({target.data(), static_cast<std::size_t>(size)}, std::string::npos);
  }

  // The text of a link like /proc/self/fd/3 is not a path.
  void follow_in_kernel(const std::string& name) {
    Fd target = open_here(name, 0);
    const auto look = this->look(target);
    if (!look) return;
    walked_ += name + '/';
    if (S_ISDIR(look->found.stx_mode)) return enter(std::move(target));
    if (!steps_.empty() || !wants_file_) return fail(ENOTDIR);
    place_.directory.reset();
    end_at(std::move(target), *look);
  }

  // Returns none, and errno, if it cannot be made.
  Fd make(const std::string& name) {
    const bool is_made = ::mkdirat(place_.directory.get(), name.c_str(), 0755) == 0;
    if (!is_made && errno != EEXIST) return {};
    Fd made = open_here(name, O_DIRECTORY | O_NOFOLLOW);
    struct stat status {};
    // Whoever may write here may have exchanged it for another directory. An empty one of ours is as good.
    if (is_made && made && caller_.sudo && ::fstat(made.get(), &status) == 0 && status.st_uid == caller_.uid &&
        is_empty_directory(made)) {
      hand_over(made, caller_);
    }
    return made;
  }

  const Caller& caller_;
  const DirectoryNeeds& needs_;
  bool wants_file_;
  Place place_;
  Mounts mounts_;
  std::vector<Step> steps_;
  std::string walked_;  // the path to place_.directory, for messages
  int links_ = 0;
  bool is_over_ = false;
};

}  // namespace

Place find_file(const std::string& path, const Caller& caller) { return Walk(caller, {}, true).find(path); }

Place find_directory(const std::string& path, const DirectoryNeeds& needs, const Caller& caller) {
  return Walk(caller, needs, false).find(path);
}

Listing list(const Fd& directory) {
  Fd open(::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  Listing listing(open ? ::fdopendir(open.get()) : nullptr, ::closedir);
  if (listing) static_cast<void>(open.release());  // the listing owns it
  return listing;
}

Failure refusal_to_replace(const Place& directory, const std::string& name, const Caller& caller) {
  struct stat found {};
  if (::fstatat(directory.directory.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
    return {.error = errno == ENOENT ? 0 : errno};
  }
  return directory.is_shared && !caller.trusts(found.st_uid) ? refusal_of_file(found.st_uid) : Failure{};
}

}  // namespace profile
