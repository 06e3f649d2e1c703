#include "deliver/file_series.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <ostream>
#include <utility>
#include <vector>

#include "deliver/fd_buffer.h"
#include "deliver/new_file.h"
#include "support/error.h"
#include "support/fd.h"

namespace profile {
namespace {

// More files by one name than that are a mistake.
constexpr std::uint64_t most_again = 1'000'000;

struct OldFile {
  timespec modified;
  std::string name;

  // The newest first.
  friend bool operator<(const OldFile& a, const OldFile& b) {
    if (a.modified.tv_sec != b.modified.tv_sec) return a.modified.tv_sec > b.modified.tv_sec;
    if (a.modified.tv_nsec != b.modified.tv_nsec) return a.modified.tv_nsec > b.modified.tv_nsec;
    return a.name > b.name;
  }
};

using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

// The regular files of this user's in a directory whose names `is_one` accepts.
std::vector<OldFile> files_in(DIR* directory, const std::function<bool(std::string_view)>& is_one) {
  std::vector<OldFile> files;
  while (const dirent* entry = ::readdir(directory)) {
    if (!is_one(entry->d_name)) continue;
    struct stat status {};
    if (::fstatat(::dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) continue;
    files.push_back({.modified = status.st_mtim, .name = entry->d_name});
  }
  return files;
}

// Makes what is missing of a directory behind the first bytes of its path, whose last is a slash. False, and errno.
bool make_levels(const std::string& path, std::size_t fixed) {
  for (std::size_t end = path.find('/', fixed); end != std::string::npos; end = path.find('/', end + 1)) {
    if (end != fixed && ::mkdir(path.substr(0, end).c_str(), 0777) != 0 && errno != EEXIST) return false;
  }
  return true;
}

std::string reports(std::uint64_t count) { return std::to_string(count) + (count == 1 ? " report" : " reports"); }

}  // namespace

FileSeries::FileSeries(PathPattern pattern, const Settings& settings, std::function<void(const std::string&)> say)
    : pattern_(std::move(pattern)), settings_(settings), say_(std::move(say)) {
  if (settings_.keep && pattern_.directory_varies()) {
    throw usage_error("--keep counts the files of one directory, and that of " + pattern_.text() + " varies");
  }
  const PathPattern::Path first = pattern_.expand(static_cast<std::uint64_t>(std::time(nullptr)) * 1'000'000'000, 1);
  const auto check = [&](int error) {
    if (error != 0) throw system_error("cannot write " + first.whole(), error);
  };
  const Fd directory(open_directory(first.directory));
  check(directory ? 0 : errno);
  check(NewFile(directory.get()).error());
  // A name that is too long, say.
  struct stat status {};
  if (::fstatat(directory.get(), first.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 && errno != ENOENT) {
    check(errno);
  }
}

// A descriptor, or -1 and errno. Opened anew for every file: it may be another directory by now.
int FileSeries::open_directory(const std::string& path) const {
  const auto open = [&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); };
  const int fd = open();
  if (fd >= 0 || errno != ENOENT) return fd;
  std::size_t fixed = 0;
  if (pattern_.directory_varies()) {
    fixed = pattern_.fixed_directory().size();
  } else if (settings_.makes_directory) {
    fixed = path.rfind('/', path.size() - 2) + 1;
  } else {
    return fd;
  }
  return make_levels(path, fixed) ? open() : -1;
}

FileSeries::Outcome FileSeries::attempt(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print) {
  PathPattern::Path path = pattern_.expand(unix_ns, written_ + 1);
  const auto failed = [&path](int error) { return Outcome{.path = path.whole(), .error = error}; };
  const Fd directory(open_directory(path.directory));
  if (!directory) return failed(errno);
  NewFile file(directory.get());
  if (file.error() != 0) return failed(file.error());
  try {
    FdBuffer buffer(file.fd());
    std::ostream out(&buffer);
    print(out);
    out.flush();
    if (buffer.error() != 0) return failed(buffer.error());
  } catch (const Error& error) {  // a picture that found no memory, say
    return {.path = path.whole(), .error = ECANCELED, .why = error.what()};
  }
  if (const int error = file.finish(); error != 0) return failed(error);

  // The names of a film's frames are its own; a time may have passed before, by another run or by the clock.
  const auto if_taken = pattern_.is_timed() ? NewFile::IfTaken::fail : NewFile::IfTaken::replace;
  const std::string base = path.whole();
  std::uint64_t again = base == last_name_ ? last_again_ + 1 : 1;
  for (;; ++again) {
    path = pattern_.expand(unix_ns, written_ + 1, again);
    const int error = file.publish(path.name, if_taken);
    if (error == 0) break;
    if (error != EEXIST || again >= most_again) return failed(error);
  }
  last_name_ = base;
  last_again_ = again;
  return Outcome{.path = path.whole()};
}

void FileSeries::write(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print) {
  const std::string directory = pattern_.expand(unix_ns, written_ + 1).directory;
  Outcome outcome = attempt(unix_ns, print);
  // The oldest would go in a moment anyway; but the last that there is stays until there is another.
  const bool is_full = outcome.error == ENOSPC || outcome.error == EDQUOT;
  if (is_full && settings_.keep && remove_old(directory, std::max<std::uint64_t>(*settings_.keep - 1, 1), {}) != 0) {
    outcome = attempt(unix_ns, print);
  }
  if (outcome.error != 0) {
    ++lost_;
    if (lost_in_a_row_++ != 0) return;
    say_("profile: cannot write " + outcome.path + ": " +
         (outcome.why.empty() ? std::strerror(outcome.error) : outcome.why) +
         (settings_.has_next ? "; the run goes on, and the next report is tried again" : ""));
    return;
  }
  ++written_;
  if (lost_in_a_row_ != 0) {
    say_("profile: " + outcome.path + " is written; " + reports(lost_in_a_row_) + " before it could not be");
    lost_in_a_row_ = 0;
  }
  if (settings_.keep) {
    const std::string_view name = std::string_view(outcome.path).substr(outcome.path.rfind('/') + 1);
    static_cast<void>(remove_old(directory, *settings_.keep - 1, name));
  }
}

// Leaves the `keep` newest of the directory and `newest`; returns how many others are gone now.
std::size_t FileSeries::remove_old(const std::string& directory, std::uint64_t keep, std::string_view newest) const {
  const Directory listing(::opendir(directory.c_str()), ::closedir);
  if (!listing) return 0;
  std::vector<OldFile> files =
      files_in(listing.get(), [&](std::string_view name) { return name != newest && pattern_.matches(name); });
  if (files.size() <= keep) return 0;
  std::sort(files.begin(), files.end());
  std::size_t removed = 0;
  for (std::size_t i = keep; i < files.size(); ++i) {
    if (::unlinkat(::dirfd(listing.get()), files[i].name.c_str(), 0) == 0) ++removed;
  }
  return removed;
}

void FileSeries::close() {
  if (lost_in_a_row_ > 1) say_("profile: " + reports(lost_in_a_row_) + " of " + pattern_.text() + " were not written");
  lost_in_a_row_ = 0;
}

}  // namespace profile
