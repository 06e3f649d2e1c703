#include "sampling/tracefs.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <tuple>

#include "support/error.h"

namespace profile {
namespace {

Fd open_folder(int at, const char* path) {
  return Fd(::openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// The directory "events" of the tracefs that is mounted at `path`; no Fd: none is mounted there.
Fd mounted_events(const char* path) {
  const Fd root = open_folder(AT_FDCWD, path);
  struct statfs file_system {};
  if (!root || ::fstatfs(root.get(), &file_system) != 0 || file_system.f_type != TRACEFS_MAGIC) return Fd();
  return open_folder(root.get(), "events");
}

// The same of a new mount; no Fd: errno says why.
Fd events_of_own_mount() {
  const Fd context(::fsopen("tracefs", FSOPEN_CLOEXEC));
  if (!context || ::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) return Fd();
  const Fd mount(::fsmount(context.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY));
  if (!mount) return Fd();
  return open_folder(mount.get(), "events");
}

Fd open_events() {
  Fd events = mounted_events("/sys/kernel/tracing");
  if (events) return events;
  events = events_of_own_mount();
  const int error = errno;
  if (events) return events;
  // This path is the last, because opening it makes the kernel mount tracefs there.
  events = mounted_events("/sys/kernel/debug/tracing");
  if (events) return events;
  throw Error(system_error("cannot read the kernel's list of tracepoints", error).what() +
              std::string("; run as root, or mount it: mount -t tracefs tracefs /sys/kernel/tracing"));
}

}  // namespace

Tracefs::Tracefs() : events_(open_events()) {}

bool Tracefs::has_system(const std::string& system) const {
  struct stat entry {};
  return ::fstatat(events_.get(), system.c_str(), &entry, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(entry.st_mode);
}

std::optional<std::uint64_t> Tracefs::id_of(const std::string& system, const std::string& event) const {
  const std::string path = system + "/" + event + "/id";
  const Fd file(::openat(events_.get(), path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return std::nullopt;
  char text[32];
  const ssize_t size = ::read(file.get(), text, sizeof text);
  std::uint64_t id = 0;
  if (size <= 0 || std::from_chars(text, text + size, id).ec != std::errc{}) return std::nullopt;
  return id;
}

std::vector<std::string> Tracefs::systems() const {
  std::vector<std::string> systems = events(".");  // a system is a folder, too
  std::erase(systems, "ftrace");
  return systems;
}

std::vector<std::string> Tracefs::events(const std::string& system) const {
  std::vector<std::string> names;
  Fd fd = open_folder(events_.get(), system.c_str());
  if (!fd) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::fdopendir(fd.get()), ::closedir);
  if (!dir) return names;
  std::ignore = fd.release();  // `dir` owns it now
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string name = entry->d_name;
    if (entry->d_type == DT_DIR && name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace profile
