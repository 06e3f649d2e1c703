#include "files/detached_writer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "files/open_output.h"
#include "support/error.h"

namespace profile {
namespace {

constexpr int most_links = 40;

// Whether the main process still wants the file: finish() keeps the socket open, abandon() closes it.
bool is_wanted() { return ::send(STDIN_FILENO, "", 1, MSG_NOSIGNAL) == 1; }

// Returns an errno.
int copy(OpenedOutput& output) {
  static std::array<char, 1 << 16> buffer;
  const int to = output.fd.get();
  const auto write = [to](const char* at, std::size_t bytes) { return ::write(to, at, bytes); };
  for (bool is_cut = false;;) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0 && !is_cut && !is_wanted()) {
      remove_unwritten(output.made_at, output.device, output.inode);
      return 0;
    }
    if (!is_cut && ::ftruncate(to, 0) != 0) return errno;
    is_cut = true;
    if (got == 0) return ::close(output.fd.release()) == 0 ? 0 : errno;
    if (const int error = move_all(write, buffer.data(), static_cast<std::size_t>(got)); error != 0) return error;
  }
}

}  // namespace

bool DetachedWriter::is_for(const std::string& given) {
  namespace fs = std::filesystem;
  fs::path path = given;
  for (int links = 0; links < most_links; ++links) {
    const Fd file(::open(path.c_str(), O_PATH | O_CLOEXEC));
    if (file || errno != ENOENT) return file && is_served_elsewhere(file, S_IFREG);
    std::error_code error;
    const fs::path target = fs::read_symlink(path, error);
    const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (error) {
      const Fd place(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
      return place && is_served_elsewhere(place, S_IFDIR);
    }
    path = directory / target;
  }
  return false;
}

DetachedWriter::DetachedWriter(const std::string& path, std::pair<Fd, Fd> ends)
    : socket_(std::move(ends.first)), child_(ends.second, ends.second, [&path] { return serve(path); }) {
  ends.second.reset();
  ::fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
  if (!is_ready_in_time(socket_.get(), POLLIN, Deadline(patience_with_writing))) {
    throw unwritable(path, ETIMEDOUT, true);
  }
  if (::recv(socket_.get(), &opened_, sizeof opened_, 0) != sizeof opened_) opened_.error = EIO;
  if (opened_.error != 0) throw system_error("cannot write " + path, opened_.error);
}

int DetachedWriter::finish(const Fd& socket) {
  ::shutdown(socket.get(), SHUT_WR);
  return child_.finish(Deadline(patience_with_writing));
}

void DetachedWriter::abandon(Fd socket) {
  socket.reset();
  static_cast<void>(child_.finish(Deadline(patience_with_writing)));
}

int DetachedWriter::serve(const std::string& path) {
  OpenedOutput output = open_output(path);
  const Opened opened{.error = output.error, .device = output.device, .inode = output.inode};
  if (::send(STDIN_FILENO, &opened, sizeof opened, MSG_NOSIGNAL) != sizeof opened) return EIO;
  return output.fd ? copy(output) : output.error;
}

}  // namespace profile
