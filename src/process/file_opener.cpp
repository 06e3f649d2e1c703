#include "process/file_opener.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "process/proc_maps.h"
#include "support/file_status.h"
#include "support/safe_open.h"
#include "support/text_file.h"

namespace profile {
namespace {

FileStamp stamp_without_path(const FileStatus& found) {
  return {.device = found.device,
          .inode = found.inode,
          .size_bytes = found.size_bytes,
          .modified_ns = found.modified_ns,
          .changed_ns = found.changed_ns,
          .links = found.links,
          .owner = found.owner,
          .group = found.group,
          .mode = found.mode};
}

std::uint64_t path_hash_of(int fd) {
  std::error_code error;
  const std::string path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error);
  return std::hash<std::string>{}(path);
}

// Looks at the place without touching what is there: no FIFO blocks and no device acts. The link in map_files leads to
// exactly the file that is mapped, deleted or not.
Fd place_of_mapping(const MappedBy& mapped_by) {
  char path[96];
  std::snprintf(path, sizeof path, "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, mapped_by.tgid, mapped_by.start,
                mapped_by.end);
  return Fd(::open(path, O_PATH | O_CLOEXEC));
}

// False when the first thread of a process has ended, or all have.
bool has_first_thread(std::uint32_t tgid) {
  char target[1];
  const std::string program = "/proc/" + std::to_string(tgid) + "/exe";
  return ::readlink(program.c_str(), target, sizeof target) >= 0 || errno != ENOENT;
}

// Other threads may run on. Then /proc knows the process's memory, root and mounts by their numbers alone.
MappedBy through_living_thread(MappedBy mapped_by) {
  constexpr int most_tries = 16;
  const std::string threads = "/proc/" + std::to_string(mapped_by.tgid) + "/task";
  std::error_code error;
  int tries = 0;
  for (std::filesystem::directory_iterator thread(threads, error), end; !error && thread != end && tries < most_tries;
       thread.increment(error), ++tries) {
    MappedBy other = mapped_by;
    other.tgid = static_cast<std::uint32_t>(std::strtoul(thread->path().filename().c_str(), nullptr, 10));
    if (other.tgid != mapped_by.tgid && place_of_mapping(other)) return other;
  }
  return mapped_by;
}

// The same for the program itself, for users without access to map_files.
Fd place_of_program(std::uint32_t tgid) {
  const std::string path = "/proc/" + std::to_string(tgid) + "/exe";
  return Fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
}

// Looks at `path` as seen from `root`, even with symbolic links in it.
Fd place_below(const char* root, const std::string& path) {
  const Fd directory(::open(root, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return {};
  return open_path(directory.get(), path, 0, RESOLVE_IN_ROOT);
}

bool is_elf(int fd) {
  char magic[SELFMAG];
  return ::pread(fd, magic, sizeof magic, 0) == SELFMAG && std::memcmp(magic, ELFMAG, SELFMAG) == 0;
}

// Whether the process still has this file at this place, as the kernel's list of its mappings says.
bool is_mapped_still(const FileIdentity& identity, const MappedBy& mapped_by) {
  constexpr std::size_t most_maps_bytes = 16 << 20;
  const auto maps = read_text_file("/proc/" + std::to_string(mapped_by.tgid) + "/maps", most_maps_bytes);
  std::string_view rest = maps ? std::string_view(*maps) : std::string_view();
  while (const auto entry = next_code_mapping(rest)) {
    if (entry->start == mapped_by.start && entry->end == mapped_by.end) return entry->file == identity;
  }
  return false;
}

// A FUSE file is closed to root, too, unless its user allows it.
FileFault unopened(int error) { return error == EACCES ? FileFault::no_access : FileFault::gone; }

// 0: not told. Only file systems on a disk are asked, because a server would be asked for each file, too.
std::uint32_t generation_of(int fd, std::uint64_t device) {
  std::uint32_t generation[2] = {};  // the call is declared with a long, but the kernel writes an int
  if (::major(device) == 0 || ::ioctl(fd, FS_IOC_GETVERSION, generation) != 0) return 0;
  return generation[0];
}

OpenedFile refused(FileFault reason) { return {.fd = {}, .reason = reason, .stamp = {}}; }

}  // namespace

// Opens the found file for reading, if it is the file that was mapped.
OpenedFile FileOpener::verified(const Fd& place, Route route, const Wanted& wanted, const MappedBy& mapped_by) {
  const FileIdentity& identity = wanted.identity;
  const auto look = look_at(place, mounts_, mapped_by.tgid);
  if (!look) return refused(unopened(errno));
  const struct statx& found = look->found;
  if (look->refusal != nullptr || (found.stx_size == 0 && !wanted.grows)) return refused(FileFault::changed);
  const bool same_inode = found.stx_ino == identity.inode;
  bool same =
      same_inode && found.stx_dev_major == identity.device_major && found.stx_dev_minor == identity.device_minor;
  // There is no block device behind the file. stat() may then give the device of a subvolume (btrfs) or a layer
  // (overlayfs), while maps and mountinfo give the device of the whole file system.
  if (found.stx_dev_major == 0) {
    const MountLine& at = look->mount;
    same = same || (same_inode && at.device_major == identity.device_major && at.device_minor == identity.device_minor);
    // On overlayfs it depends on the kernel which inode maps and the records give: the file's own or that of the layer.
    // map_files leads to what is mapped there, so the mapping must still be the one that was told.
    same = same || (route == Route::map_files && at.type == "overlay" && is_mapped_still(identity, mapped_by));
  }
  if (!same) return refused(FileFault::changed);
  const std::uint64_t owner = owners_.of(*look, mapped_by);
  if (wanted.is_owned && owner > UINT32_MAX) return refused(FileFault::no_answer);
  Fd fd = reopen(place);
  if (!fd) return refused(unopened(errno));
  auto opened = stamp(fd.get());
  if (!opened) return refused(FileFault::gone);
  opened->generation = generation_of(fd.get(), opened->device);
  if (are_other_generations(identity.generation, opened->generation)) return refused(FileFault::changed);
  // If we held it open, the memory of a JIT's code would outlive the JIT.
  if (look->is_memory && !is_elf(fd.get())) return refused(FileFault::malformed);
  return {.fd = std::move(fd),
          .reason = FileFault::none,
          .stamp = wanted.grows ? FileStamp{} : *opened,
          .owner = owner,
          .is_mapped = route == Route::map_files};
}

OpenedFile FileOpener::open(const FileIdentity& identity, std::string_view path, const MappedBy& told) {
  OpenedFile result;
  const Wanted wanted{.identity = identity, .grows = is_jit_dump(path)};
  Fd place = place_of_mapping(told);
  const MappedBy mapped_by = place || has_first_thread(told.tgid) ? told : through_living_thread(told);
  if (mapped_by.tgid != told.tgid) place = place_of_mapping(mapped_by);
  if (place) {
    result = verified(place, Route::map_files, wanted, mapped_by);
    if (result.fd || result.reason == FileFault::malformed || result.reason == FileFault::no_access) return result;
  }
  if (const Fd program_place = place_of_program(mapped_by.tgid)) {
    OpenedFile program = verified(program_place, Route::path, wanted, mapped_by);
    program.is_mapped = true;
    if (program.fd) return program;
  }
  const std::string name(path);
  const std::string root = "/proc/" + std::to_string(mapped_by.tgid) + "/root";
  if (const Fd below_root = place_below(root.c_str(), name)) {
    result = verified(below_root, Route::path, wanted, mapped_by);
    if (result.fd) return result;
  }
  if (!mapped_by.own_mounts) return result;
  // The process may be gone, but it saw the same mounts as we do. The owner of the file is then unknown, so a file that
  // never answers could not be counted against its owner.
  const auto mount = own_mount_of(name);
  if (mount && is_served_by_a_process(*mount)) return result;
  if (const Fd own = place_below("/", name)) result = verified(own, Route::path, wanted, {.own_mounts = true});
  return result;
}

OpenedFile FileOpener::open_owned(const FileIdentity& identity, std::string_view path, const MappedBy& mapped_by) {
  const Wanted wanted{.identity = identity, .grows = is_jit_dump(path), .is_owned = true};
  const Fd place = place_of_mapping(mapped_by);
  return place ? verified(place, Route::map_files, wanted, mapped_by) : refused(FileFault::no_answer);
}

std::optional<FileStamp> FileOpener::stamp(int fd) {
  const auto found = status_of(fd);
  if (!found) return std::nullopt;
  FileStamp stamp = stamp_without_path(*found);
  stamp.path_hash = path_hash_of(fd);
  return stamp;
}

FileState FileOpener::state(int fd, const FileStamp& before) {
  const auto found = status_of(fd);
  if (!found) return FileState::same;
  FileStamp now = stamp_without_path(*found);
  // To ask for the path costs more than all else.
  if (now.changed_ns != before.changed_ns) now.path_hash = path_hash_of(fd);
  if (before != FileStamp{} && !now.has_content_of(before)) return FileState::changed;
  return now.links == 0 ? FileState::deleted : FileState::same;
}

}  // namespace profile
