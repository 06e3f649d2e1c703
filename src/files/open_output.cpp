#include "files/open_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include "files/detached_writer.h"
#include "support/signals.h"

namespace profile {
namespace {

// Sets the type, device and inode of the open file.
void note_identity(OpenedOutput& output) {
  struct stat own {};
  if (!output.fd || ::fstat(output.fd.get(), &own) != 0) return;
  output.is_regular = S_ISREG(own.st_mode);
  output.device = own.st_dev;
  output.inode = own.st_ino;
}

}  // namespace

OpenedOutput open_output(const std::string& path) {
  OpenedOutput output;
  constexpr int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY;
  output.fd = Fd(::open(path.c_str(), flags | O_EXCL, 0666));
  if (output.fd) {
    output.made_at = path;
  } else {
    struct stat before {};
    const bool is_there = ::stat(path.c_str(), &before) == 0;
    // The path may be a link to a missing file; open() then makes that file.
    const bool is_dangling = !is_there && errno == ENOENT;
    std::optional<EndSignalsKill> kill;
    if (is_there && S_ISFIFO(before.st_mode)) kill.emplace();
    output.fd = Fd(::open(path.c_str(), flags, 0666));
    output.error = output.fd ? 0 : errno;
    std::error_code error;
    if (output.fd && is_dangling) output.made_at = std::filesystem::canonical(path, error);
  }
  note_identity(output);
  return output;
}

OpenedOutput open_named_output(std::string& path, std::unique_ptr<DetachedWriter>& detached) {
  OpenedOutput output;
  if (path == "-") {
    path = "stdout";
    output.fd = Fd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    output.error = errno;
    note_identity(output);
  } else if (DetachedWriter::is_for(path)) {
    detached = std::make_unique<DetachedWriter>(path);
    output.fd = detached->take_socket();
    output.is_regular = true;
    output.device = detached->device();
    output.inode = detached->inode();
  } else {
    output = open_output(path);
  }
  if (!output.fd) throw unwritable(path, output.error, false);
  return output;
}

void remove_unwritten(const std::string& made_at, dev_t device, ino_t inode) {
  struct stat named {};
  if (made_at.empty() || ::lstat(made_at.c_str(), &named) != 0) return;
  if (device == named.st_dev && inode == named.st_ino && named.st_size == 0) ::unlink(made_at.c_str());
}

}  // namespace profile
