#include "files/fd_buffer.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "children/detached_child.h"

namespace profile {

FdBuffer::int_type FdBuffer::overflow(int_type character) {
  if (sync() != 0) return traits_type::eof();
  if (!traits_type::eq_int_type(character, traits_type::eof())) {
    *pptr() = traits_type::to_char_type(character);
    pbump(1);
  }
  return traits_type::not_eof(character);
}

int FdBuffer::sync() {
  if (before_ == Before::cut && pbase() != pptr()) {
    before_ = Before::keep;
    if (::ftruncate(fd_, 0) != 0) error_ = errno;
  }
  for (const char* at = pbase(); at < pptr() && error_ == 0;) {
    const ssize_t done = ::write(fd_, at, static_cast<std::size_t>(pptr() - at));
    if (done >= 0) {
      at += done;
      written_ += static_cast<std::uint64_t>(done);
    } else if (errno == EAGAIN) {
      // A non-blocking pipe or socket, which may take nothing in the whole time.
      if (!is_ready_in_time(fd_, POLLOUT, Deadline(patience_with_writing))) error_ = ETIMEDOUT;
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  setp(buffer_.get(), buffer_.get() + buffer_bytes);
  return error_ == 0 ? 0 : -1;
}

}  // namespace profile
