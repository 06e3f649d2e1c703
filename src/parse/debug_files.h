// Finds the file in which a distribution, or the builder of a program, keeps its debug information: by build-id, else
// by .gnu_debuglink, else from debuginfod. A file counts only when its build-id, or else its checksum, is right. This
// opens nothing itself: it gets one candidate after another and reads each like any other hostile file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "parse/debug_file_search.h"
#include "parse/file_reader.h"
#include "support/fd.h"

namespace profile {

class ElfFile;

// An open debug file, with the number that its opener uses for it.
struct DebugFile {
  Fd fd;
  FileNumber number = FileNumber::none;
  explicit operator bool() const { return static_cast<bool>(fd); }
};

// The interface that hands over debug files.
class DebugSupplier {
 public:
  virtual ~DebugSupplier() = default;
  // Works as DebugFileSearch::open(), for the file with the number `base`.
  [[nodiscard]] virtual DebugFile open(const DebugQuestion& question, FileNumber base, unsigned& next,
                                       std::string& why) = 0;
  // What a debuginfod server has for that build-id.
  [[nodiscard]] virtual DebugFile from_server(const std::string& build_id) = 0;
};

class DebugFiles {
 public:
  // `supplier` must outlive this.
  explicit DebugFiles(DebugSupplier& supplier);

  // The debug file of `elf`, which is open as `fd` and known as `file`. No Fd when there is none. A missing debug file
  // is remembered; an existing one is opened again each time.
  [[nodiscard]] DebugFile find(const ElfFile& elf, int fd, const FileRef& file);
  // The file that .gnu_debugaltlink of `elf` leads to, which several debug files share. `elf` is `file` itself, or its
  // debug file, which has the number `number`. The answer holds only debug information and may be of type ET_REL.
  [[nodiscard]] DebugFile find_alternate(const ElfFile& elf, FileNumber number, const FileRef& file);
  [[nodiscard]] DebugSupplier& supplier() { return supplier_; }

 private:
  // Device, inode, size and time of modification.
  using FileKey = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t>;
  using Accepts = std::function<bool(int fd)>;
  // A build-id, and the number of a file whose process sees other directories than we do; `none` for all other files.
  using BuildIdKey = std::pair<std::string, FileNumber>;

  [[nodiscard]] static std::optional<FileKey> key_of(int fd);
  [[nodiscard]] DebugFile first_accepted(const DebugQuestion& question, FileNumber base, const Accepts& accepts);
  [[nodiscard]] DebugFile by_build_id(const std::string& build_id, const FileRef& file, const Accepts& accepts);
  [[nodiscard]] DebugFile by_link(const ElfFile& elf, const std::string& build_id, int fd, const FileRef& file);
  [[nodiscard]] DebugFile from_server(const std::string& build_id, const Accepts& accepts);
  [[nodiscard]] bool has_checksum(int fd, std::uint32_t crc);

  DebugSupplier& supplier_;
  std::uint64_t checksum_budget_bytes_;
  std::set<BuildIdKey> not_in_directories_;
  std::set<std::string> not_on_server_;                  // build-ids
  std::set<std::pair<FileKey, FileNumber>> not_linked_;  // files whose link leads to no file
  std::map<FileKey, std::optional<std::uint32_t>> checksums_;
};

}  // namespace profile
