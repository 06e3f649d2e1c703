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

Destination::Destination(std::string path) : path_(std::move(path)) {
  if (path_ == "-") {
    path_ = "stdout";
    fd_ = Fd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    is_empty_ = true;
  } else {
    fd_ = Fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666));
  }
  if (!fd_) throw system_error("cannot write " + path_, errno);
}

Destination::Result Destination::write(const std::function<void(std::ostream&)>& print) {
  if (!is_empty_ && is_regular(fd_.get()) && ::ftruncate(fd_.get(), 0) != 0)
    throw system_error("cannot empty " + path_, errno);
  is_empty_ = true;
  FdBuffer buffer(fd_.get());
  std::ostream out(&buffer);
  print(out);
  out.flush();
  if (buffer.error() == EPIPE) return Result::closed_pipe;
  if (buffer.error() != 0) throw system_error("cannot write " + path_, buffer.error());
  return Result::written;
}

void Destination::close() {
  if (fd_ && ::close(fd_.release()) != 0) throw system_error("cannot write " + path_, errno);
}

}  // namespace profile
