// Opens a file that a process had mapped, without trusting that process: what this root program reads there was put in
// place by somebody else. Behind an interface, so that what is built on it can be tested without processes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "process/code_file.h"
#include "support/mounts.h"

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

class KernelFileOpener final : public FileOpener {
 public:
  OpenedFile open(const FileIdentity& identity, std::string_view path, const MappedBy& mapped_by) override;
  std::optional<FileStamp> stamp(int fd) override;
  bool is_deleted(int fd) override;

 private:
  enum class Route : std::uint8_t { map_files, path };
  OpenedFile verified(const Fd& place, Route route, const FileIdentity& identity, std::uint32_t tgid);

  Mounts mounts_;
};

}  // namespace profile
