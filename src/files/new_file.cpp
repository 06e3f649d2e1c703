#include "files/new_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "files/caller.h"

namespace profile {
namespace {

constexpr int most_attempts = 100;

}  // namespace

// Without a name if the file system can do that: then a crash leaves nothing behind.
NewFile::NewFile(int directory_fd, Readers readers) : directory_fd_(directory_fd) {
  fd_ = make_file(directory_fd_, ".", O_TMPFILE, readers);
  if (fd_ || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT)) {
    error_ = fd_ ? 0 : errno;
    return;
  }
  error_ = take_interim_name([&](const std::string& name) {
    fd_ = make_file(directory_fd_, name, O_CREAT | O_EXCL, readers);
    return fd_ ? 0 : errno;
  });
}

NewFile::~NewFile() {
  if (!interim_name_.empty()) ::unlinkat(directory_fd_, interim_name_.c_str(), 0);
}

int NewFile::finish() {
  if (interim_name_.empty()) return 0;  // without a name, closing would delete the file
  return ::close(fd_.release()) == 0 ? 0 : errno;
}

int NewFile::link_to(const std::string& name) const {
  if (interim_name_.empty()) {
    const std::string self = "/proc/self/fd/" + std::to_string(fd_.get());
    return ::linkat(AT_FDCWD, self.c_str(), directory_fd_, name.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
  }
  return ::linkat(directory_fd_, interim_name_.c_str(), directory_fd_, name.c_str(), 0) == 0 ? 0 : errno;
}

int NewFile::take_interim_name(const std::function<int(const std::string&)>& take) {
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    // Short, so that it fits wherever the final name fits.
    std::string name = ".profile-" + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".tmp";
    const int error = take(name);
    if (error == 0) interim_name_ = std::move(name);
    if (error != EEXIST) return error;
  }
  return EEXIST;
}

int NewFile::publish(const std::string& name, IfTaken if_taken) {
  if (if_taken == IfTaken::fail) {
    // Some file systems have no links, and some cannot rename without replacing.
    if (!interim_name_.empty() &&
        ::renameat2(directory_fd_, interim_name_.c_str(), directory_fd_, name.c_str(), RENAME_NOREPLACE) == 0) {
      interim_name_.clear();
      return 0;
    }
    if (!interim_name_.empty() && errno != EINVAL && errno != ENOSYS) return errno;
    return link_to(name);  // the destructor removes the interim name
  }
  if (interim_name_.empty()) {
    const int error = take_interim_name([this](const std::string& interim) { return link_to(interim); });
    if (error != 0) return error;
  }
  if (::renameat(directory_fd_, interim_name_.c_str(), directory_fd_, name.c_str()) != 0) return errno;
  interim_name_.clear();
  return 0;
}

}  // namespace profile
