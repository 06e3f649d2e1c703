#include "files/database_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "files/failure.h"
#include "files/open_output.h"
#include "files/place.h"

namespace profile {
namespace {

constexpr const char* companions[] = {"-wal", "-shm", "-journal"};

std::string first_bytes(int fd) {
  std::array<char, 512> bytes{};
  const Fd again(::open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t size = again ? ::read(again.get(), bytes.data(), bytes.size()) : -1;
  return {bytes.data(), size < 0 ? 0 : static_cast<std::size_t>(size)};
}

}  // namespace

DatabaseFile::DatabaseFile(const std::string& path, bool (*is_ours)(std::string_view start)) {
  if (path == "-") throw Error("cannot write a recording to stdout: it needs a file");
  Place place = find_file(path);
  if (place.failure.error == 0 && place.is_shared) {
    place.failure = {.error = EPERM,
                     .why =
                         "others may write in its directory, and a recording needs one of its owner's own, "
                         "because SQLite makes files beside it"};
  }
  if (place.failure.error == 0 && place.is_served) {
    place.failure = {.error = EOPNOTSUPP,
                     .why = "a recording needs a disk of this machine: a file server may stop to answer for ever"};
  }
  if (place.failure.error != 0) throw unwritable(path, place.failure);
  const std::string name = place.name;
  const Fd directory(::openat(place.directory.get(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  OpenedOutput output = open_output(std::move(place), Readers::owner);
  if (!output.fd) throw unwritable(path, output.failure);
  if (!output.is_regular) throw Error("cannot write " + path + ": a recording needs an ordinary file");
  if (::flock(output.fd.get(), LOCK_EX | LOCK_NB) != 0) {
    throw Error("cannot write " + path + ": another recorder writes it");
  }
  const std::string start = first_bytes(output.fd.get());
  if (!start.empty() && !is_ours(start)) {
    throw Error("cannot write " + path + ": it is no recording, and is left as it is");
  }
  if (::ftruncate(output.fd.get(), 0) != 0) throw system_error("cannot empty " + path, errno);
  // Those of a recorder that was killed belong to the former contents.
  for (const char* const companion : companions) {
    if (::unlinkat(directory.get(), (name + companion).c_str(), 0) != 0 && errno != ENOENT) {
      throw system_error("cannot remove " + path + companion, errno);
    }
  }
  fd_ = std::move(output.fd);
}

bool is_being_written(int fd) {
  if (::flock(fd, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  ::flock(fd, LOCK_UN);
  return false;
}

}  // namespace profile
