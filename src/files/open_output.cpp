#include "files/open_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "files/caller.h"
#include "files/detached_writer.h"
#include "files/place.h"
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

OpenedOutput open_output(Place place, Readers readers) {
  OpenedOutput output;
  output.failure = std::move(place.failure);
  if (output.failure.error != 0) return output;
  if (place.file) {
    struct stat found {};
    std::optional<EndSignalsKill> kill;
    if (::fstat(place.file.get(), &found) == 0 && S_ISFIFO(found.st_mode)) kill.emplace();
    // Exactly the file that was looked at, whatever its name leads to by now.
    const std::string file = "/proc/self/fd/" + std::to_string(place.file.get());
    output.fd = Fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  } else {
    output.fd = make_file(place.directory.get(), place.name, O_CREAT | O_EXCL, readers);
  }
  if (!output.fd) output.failure.error = errno;
  note_identity(output);
  if (output.fd && !place.file) {
    output.made_in = std::move(place.directory);
    output.made_name = std::move(place.name);
  }
  return output;
}

OpenedOutput open_named_output(std::string& path, Readers readers, std::unique_ptr<DetachedWriter>& detached) {
  OpenedOutput output;
  if (path == "-") {
    path = "stdout";
    output.fd = Fd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    if (!output.fd) output.failure.error = errno;
    note_identity(output);
  } else if (Place place = find_file(path); place.failure.error == 0 && place.is_served) {
    detached = std::make_unique<DetachedWriter>(path, readers);
    output.fd = detached->take_socket();
    output.is_regular = true;
    output.device = detached->device();
    output.inode = detached->inode();
  } else {
    output = open_output(std::move(place), readers);
  }
  if (!output.fd) throw unwritable(path, output.failure);
  return output;
}

void remove_unwritten(const Fd& made_in, const std::string& made_name, dev_t device, ino_t inode) {
  struct stat named {};
  if (!made_in || ::fstatat(made_in.get(), made_name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (device != named.st_dev || inode != named.st_ino || named.st_size != 0) return;
  ::unlinkat(made_in.get(), made_name.c_str(), 0);
}

}  // namespace profile
