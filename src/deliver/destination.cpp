#include "deliver/destination.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ostream>

#include "deliver/fd_buffer.h"
#include "support/error.h"

namespace profile {
namespace {

bool is_regular(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

Destination::Destination(std::string path) : path_(std::move(path)), is_stdout_(path_ == "-") {
  if (is_stdout_) {
    path_ = "stdout";
    fd_ = Fd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    is_empty_ = true;
  } else {
    fd_ = Fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666));
  }
  if (!fd_) throw system_error("cannot write " + path_, errno);
}

Destination::Result Destination::write(const std::function<void(std::ostream&)>& print) {
  const bool has_more = !is_empty_ && is_regular(fd_.get());
  FdBuffer buffer(fd_.get(), has_more ? FdBuffer::Before::cut : FdBuffer::Before::keep);
  std::ostream out(&buffer);
  print(out);
  out.flush();
  is_empty_ = buffer.before() == FdBuffer::Before::keep;
  if (buffer.error() == EPIPE) return Result::closed_pipe;
  if (buffer.error() != 0) throw system_error("cannot write " + path_, buffer.error());
  return Result::written;
}

bool Destination::is_same_file(const Destination& other) const {
  struct stat own {};
  struct stat others {};
  return ::fstat(fd_.get(), &own) == 0 && ::fstat(other.fd_.get(), &others) == 0 && S_ISREG(own.st_mode) &&
         own.st_dev == others.st_dev && own.st_ino == others.st_ino;
}

void Destination::close() {
  if (fd_ && !is_empty_ && is_regular(fd_.get()) && ::ftruncate(fd_.get(), 0) != 0) {
    throw system_error("cannot empty " + path_, errno);
  }
  if (fd_ && ::close(fd_.release()) != 0) throw system_error("cannot write " + path_, errno);
}

}  // namespace profile
