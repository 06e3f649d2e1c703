// Opens a file that a process had mapped, without trusting that process: what this root program reads there was put in
// place by somebody else. Behind an interface, so that what is built on it can be tested without processes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "process/code_file.h"

namespace profile {

struct OpenedFile {
  Fd fd;
  Unnamed reason = Unnamed::file_gone;  // when there is no fd
  FileStamp stamp;
};

class FileOpener {
 public:
  virtual ~FileOpener() = default;
  virtual OpenedFile open(const FileIdentity& identity, std::string_view path, const MappedBy& mapped_by) = 0;
  // nullopt when it cannot be told.
  virtual std::optional<FileStamp> stamp(int fd) = 0;
  // Whether no name leads to it any more; false when that cannot be told.
  virtual bool is_deleted(int /*fd*/) { return false; }
};

// One line of /proc/PID/mountinfo.
struct MountLine {
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::string type;
};
// The mount numbered `mount_id` in the text of a mountinfo file.
[[nodiscard]] std::optional<MountLine> find_mount(std::string_view mountinfo, std::uint64_t mount_id);

class KernelFileOpener final : public FileOpener {
 public:
  OpenedFile open(const FileIdentity& identity, std::string_view path, const MappedBy& mapped_by) override;
  std::optional<FileStamp> stamp(int fd) override;
  bool is_deleted(int fd) override;

 private:
  enum class Route : std::uint8_t { map_files, path };
  OpenedFile verified(const Fd& place, Route route, const FileIdentity& identity, std::uint32_t tgid);
  const MountLine& mount(std::uint64_t mount_id, std::uint64_t device, std::uint32_t tgid);

  std::map<std::pair<std::uint64_t, std::uint64_t>, MountLine> mounts_;  // by mount id and device
};

}  // namespace profile
