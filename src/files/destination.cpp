#include "files/destination.h"

#include <unistd.h>

#include <cerrno>
#include <ostream>

#include "files/detached_writer.h"
#include "files/fd_buffer.h"
#include "files/open_output.h"
#include "support/error.h"

namespace profile {

Destination::Destination(std::string path, Readers readers) : path_(std::move(path)), is_stdout_(path_ == "-") {
  OpenedOutput output = open_named_output(path_, readers, detached_);
  fd_ = std::move(output.fd);
  is_regular_ = output.is_regular;
  device_ = output.device;
  inode_ = output.inode;
  made_in_ = std::move(output.made_in);
  made_name_ = std::move(output.made_name);
  is_empty_ = is_stdout_;
  is_unused_ = !is_stdout_;
}

Destination::Destination(Destination&&) noexcept = default;

Destination::~Destination() {
  if (!fd_ || !is_unused_) return;
  if (detached_) {
    detached_->abandon(std::move(fd_));
  } else {
    remove_unwritten(made_in_, made_name_, device_, inode_);
  }
}

Destination::Result Destination::write(const std::function<void(std::ostream&)>& print) {
  note_use();
  const bool has_more = !is_empty_ && is_regular_ && !detached_;
  FdBuffer buffer(fd_.get(), has_more ? FdBuffer::Before::cut : FdBuffer::Before::keep);
  std::ostream out(&buffer);
  print(out);
  out.flush();
  bytes_ += buffer.written();
  is_empty_ = buffer.before() == FdBuffer::Before::keep;
  if (buffer.error() == EPIPE && detached_) throw unwritable(path_, detached_->finish(fd_), true);
  if (buffer.error() == EPIPE) return Result::closed_pipe;
  if (buffer.error() != 0) throw unwritable(path_, buffer.error(), detached_ != nullptr);
  return Result::written;
}

void Destination::note_use() {
  is_unused_ = false;
  made_in_.reset();
}

bool Destination::is_same_file(const Destination& other) const {
  return is_regular_ && other.is_regular_ && device_ == other.device_ && inode_ == other.inode_;
}

void Destination::close() {
  note_use();
  if (detached_) {
    const int error = detached_->finish(fd_);
    fd_.reset();
    if (error != 0) throw unwritable(path_, error, true);
    return;
  }
  if (fd_ && !is_empty_ && is_regular_ && ::ftruncate(fd_.get(), 0) != 0) {
    throw system_error("cannot empty " + path_, errno);
  }
  if (fd_ && ::close(fd_.release()) != 0) throw system_error("cannot write " + path_, errno);
}

}  // namespace profile
