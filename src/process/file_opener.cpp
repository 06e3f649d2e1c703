#include "process/file_opener.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <cstdio>

#include "support/text_file.h"

namespace profile {
namespace {

// A mountinfo of thousands of mounts; beyond it a mount counts as not found.
constexpr std::size_t most_mountinfo_bytes = 4 << 20;

// Looks at the place without touching what is there: no FIFO blocks, no device acts, and the link in map_files leads to
// the very file that is mapped, deleted or not.
Fd place_of_mapping(const MappedBy& mapped_by) {
  char path[96];
  std::snprintf(path, sizeof path, "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, mapped_by.tgid, mapped_by.start,
                mapped_by.end);
  return Fd(::open(path, O_PATH | O_CLOEXEC));
}

// `path` as seen from `root`, whatever symbolic links stand in it.
Fd place_below(const char* root, const std::string& path) {
  const Fd directory(::open(root, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return {};
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return Fd(static_cast<int>(::syscall(SYS_openat2, directory.get(), path.c_str(), &how, sizeof how)));
}

// Does not ask a file server that may never answer.
std::optional<struct statx> look_at(int fd) {
  struct statx found {};
  constexpr unsigned wanted = STATX_BASIC_STATS | STATX_MNT_ID;
  if (::statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, wanted, &found) != 0) return std::nullopt;
  return found;
}

FileStamp to_stamp(const struct stat& found) {
  return {found.st_dev, found.st_ino, static_cast<std::uint64_t>(found.st_size),
          found.st_mtim.tv_sec * std::int64_t{1'000'000'000} + found.st_mtim.tv_nsec};
}

std::string_view take_word(std::string_view& line) {
  const std::size_t length = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, length);
  line.remove_prefix(std::min(length + 1, line.size()));
  return word;
}

template <class Number>
bool to_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

// "36 35 98:0 /root /at options tags... - type source options"
std::optional<MountLine> parse_mount(std::string_view line) {
  take_word(line);
  take_word(line);
  const std::string_view device = take_word(line);
  const std::size_t colon = std::min(device.find(':'), device.size());
  MountLine mount;
  if (!to_number(device.substr(0, colon), mount.device_major) || colon == device.size() ||
      !to_number(device.substr(colon + 1), mount.device_minor)) {
    return std::nullopt;
  }
  const std::size_t dash = line.find(" - ");
  if (dash == std::string_view::npos) return std::nullopt;
  line.remove_prefix(dash + 3);
  mount.type = take_word(line);
  return mount;
}

bool is_served_by_a_process(const MountLine& mount) {
  return mount.type == "fuse" || mount.type == "fuseblk" || mount.type.starts_with("fuse.");
}

}  // namespace

std::optional<MountLine> find_mount(std::string_view mountinfo, std::uint64_t mount_id) {
  while (!mountinfo.empty()) {
    std::string_view line = mountinfo.substr(0, mountinfo.find('\n'));
    mountinfo.remove_prefix(std::min(line.size() + 1, mountinfo.size()));
    std::uint64_t id = 0;
    std::string_view rest = line;
    if (to_number(take_word(rest), id) && id == mount_id) return parse_mount(line);
  }
  return std::nullopt;
}

// The answer's `type` is empty when nobody can say.
const MountLine& KernelFileOpener::mount(std::uint64_t mount_id, std::uint64_t device, std::uint32_t tgid) {
  const auto [at, is_new] = mounts_.try_emplace({mount_id, device});
  if (!at->second.type.empty() || (!is_new && tgid == 0)) return at->second;
  for (const std::string& path :
       {"/proc/" + std::to_string(tgid) + "/mountinfo", std::string("/proc/self/mountinfo")}) {
    const auto text = read_text_file(path, most_mountinfo_bytes);
    if (!text) continue;
    if (const auto found = find_mount(*text, mount_id)) {
      at->second = *found;
      break;
    }
  }
  return at->second;
}

// Opens for reading what was found, if it is the file that was mapped.
OpenedFile KernelFileOpener::verified(const Fd& place, Route route, const FileIdentity& identity, std::uint32_t tgid) {
  OpenedFile result;
  const auto found = look_at(place.get());
  if (!found) return result;
  result.reason = Unnamed::file_changed;
  if (!S_ISREG(found->stx_mode) || found->stx_size == 0) return result;
  const bool same_inode = found->stx_ino == identity.inode;
  bool same =
      same_inode && found->stx_dev_major == identity.device_major && found->stx_dev_minor == identity.device_minor;
  // Without a block device behind it: stat() may tell a device of its own for a subvolume (btrfs) or a layer
  // (overlayfs), where maps tells the one of the whole file system, as mountinfo does. And a file served by a process
  // may make us wait for ever.
  if (found->stx_dev_major == 0) {
    const std::uint64_t device = makedev(found->stx_dev_major, found->stx_dev_minor);
    const MountLine& at = mount(found->stx_mnt_id, device, tgid);
    if (at.type.empty() || is_served_by_a_process(at)) {
      result.reason = Unnamed::file_gone;
      return result;
    }
    same = same || (same_inode && at.device_major == identity.device_major && at.device_minor == identity.device_minor);
    // map_files leads to what is mapped there, so only a mapping that was replaced just now could mislead us; and what
    // maps and the records tell of a file on overlayfs (its own inode or that of the layer) depends on the kernel.
    same = same || (route == Route::map_files && (same_inode || at.type == "overlay"));
  }
  if (!same) return result;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", place.get());
  result.fd = Fd(::open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat opened {};
  if (!result.fd || ::fstat(result.fd.get(), &opened) != 0) {
    result.fd.reset();
    result.reason = Unnamed::file_gone;
    return result;
  }
  result.stamp = to_stamp(opened);
  return result;
}

OpenedFile KernelFileOpener::open(const FileIdentity& identity, std::string_view path, const MappedBy& mapped_by) {
  OpenedFile result;
  if (const Fd place = place_of_mapping(mapped_by)) {
    result = verified(place, Route::map_files, identity, mapped_by.tgid);
    if (result.fd) return result;
  }
  const std::string name(path);
  const std::string root = "/proc/" + std::to_string(mapped_by.tgid) + "/root";
  if (const Fd place = place_below(root.c_str(), name)) {
    result = verified(place, Route::path, identity, mapped_by.tgid);
    if (result.fd) return result;
  }
  if (!mapped_by.own_mounts) return result;
  // The process may be gone. It saw what we see.
  if (const Fd place = place_below("/", name)) result = verified(place, Route::path, identity, 0);
  return result;
}

std::optional<FileStamp> KernelFileOpener::stamp(int fd) {
  struct stat found {};
  if (::fstat(fd, &found) != 0) return std::nullopt;
  return to_stamp(found);
}

bool KernelFileOpener::is_deleted(int fd) {
  const auto found = look_at(fd);
  return found && found->stx_nlink == 0;
}

}  // namespace profile
