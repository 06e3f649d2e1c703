#include "process/file_opener.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cinttypes>
#include <cstdio>

#include "support/place.h"

namespace profile {
namespace {

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
  return place_at(directory.get(), path, 0, RESOLVE_IN_ROOT);
}

FileStamp to_stamp(const struct stat& found) {
  return {found.st_dev, found.st_ino, static_cast<std::uint64_t>(found.st_size),
          found.st_mtim.tv_sec * std::int64_t{1'000'000'000} + found.st_mtim.tv_nsec};
}

}  // namespace

// Opens for reading what was found, if it is the file that was mapped.
OpenedFile KernelFileOpener::verified(const Fd& place, Route route, const FileIdentity& identity, std::uint32_t tgid) {
  OpenedFile result;
  const auto look = look_at(place, mounts_, tgid);
  if (!look || look->is_served_by_a_process() || look->is_unknown()) return result;
  const struct statx& found = look->found;
  result.reason = Unnamed::file_changed;
  if (look->refusal != nullptr || found.stx_size == 0) return result;
  const bool same_inode = found.stx_ino == identity.inode;
  bool same =
      same_inode && found.stx_dev_major == identity.device_major && found.stx_dev_minor == identity.device_minor;
  // Without a block device behind it: stat() may tell a device of its own for a subvolume (btrfs) or a layer
  // (overlayfs), where maps tells the one of the whole file system, as mountinfo does.
  if (found.stx_dev_major == 0) {
    const MountLine& at = look->mount;
    same = same || (same_inode && at.device_major == identity.device_major && at.device_minor == identity.device_minor);
    // map_files leads to what is mapped there, so only a mapping that was replaced just now could mislead us; and what
    // maps and the records tell of a file on overlayfs (its own inode or that of the layer) depends on the kernel.
    same = same || (route == Route::map_files && (same_inode || at.type == "overlay"));
  }
  if (!same) return result;
  result.fd = reopen(place);
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
  struct statx found {};
  return ::statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_NLINK, &found) == 0 && found.stx_nlink == 0;
}

}  // namespace profile
