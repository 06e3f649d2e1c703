#include "deliver/destination.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ostream>
#include <streambuf>

#include "support/error.h"

namespace profile {
namespace {

// A stream buffer over a descriptor that remembers why a write failed; std::ofstream does not tell.
class FdBuffer final : public std::streambuf {
 public:
  explicit FdBuffer(int fd) : fd_(fd) { setp(buffer_.data(), buffer_.data() + buffer_.size()); }
  [[nodiscard]] int error() const { return error_; }

 protected:
  int_type overflow(int_type character) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(character, traits_type::eof())) {
      *pptr() = traits_type::to_char_type(character);
      pbump(1);
    }
    return traits_type::not_eof(character);
  }

  int sync() override {
    for (const char* at = pbase(); at < pptr() && error_ == 0;) {
      const ssize_t done = ::write(fd_, at, static_cast<std::size_t>(pptr() - at));
      if (done >= 0) {
        at += done;
      } else if (errno != EINTR) {
        error_ = errno;
      }
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return error_ == 0 ? 0 : -1;
  }

 private:
  int fd_;
  int error_ = 0;
  std::array<char, 1 << 16> buffer_{};
};

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
