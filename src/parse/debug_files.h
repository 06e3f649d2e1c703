// Finds the file that a distribution, or whoever built a program, keeps its debug information in: by build-id, else by
// .gnu_debuglink, else from debuginfod. What is found counts only when its build-id, or else its checksum, is the right
// one. Opens nothing itself: candidates are handed to it one after another, and read like any other hostile file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "parse/debug_file_search.h"
#include "parse/file_reader.h"
#include "support/fd.h"

namespace profile {

class ElfFile;

// An open one, and the number that whoever opened it has for it.
struct DebugFile {
  Fd fd;
  std::uint64_t number = 0;
  explicit operator bool() const { return static_cast<bool>(fd); }
};

// Hands debug files over.
class DebugSupplier {
 public:
  virtual ~DebugSupplier() = default;
  // As DebugFileSearch::open(), for the file numbered `base`.
  [[nodiscard]] virtual DebugFile open(const DebugQuestion& question, std::uint64_t base, unsigned& next,
                                       std::string& why) = 0;
  // What a debuginfod server has for that build-id.
  [[nodiscard]] virtual DebugFile from_server(const std::string& build_id) = 0;
};

class DebugFiles {
 public:
  // `supplier` must outlive this.
  explicit DebugFiles(DebugSupplier& supplier);

  // The debug file of `elf`, which is open as `fd` and known as `file`; no Fd when there is none. That there is none is
  // remembered; one that there is, is opened anew each time.
  [[nodiscard]] DebugFile find(const ElfFile& elf, int fd, const FileRef& file);
  // What .gnu_debugaltlink of `elf` leads to: what several debug files share. `elf` is `file` itself, or its debug
  // file, numbered `number`. A file for libdw, perhaps of type ET_REL.
  [[nodiscard]] DebugFile find_alternate(const ElfFile& elf, std::uint64_t number, const FileRef& file);
  [[nodiscard]] DebugSupplier& supplier() { return supplier_; }

 private:
  // Device, inode, size and time of modification.
  using FileKey = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t>;
  using Accepts = std::function<bool(int fd)>;
  // A build-id, and the number of a file whose process sees other directories than we do, 0 for all others.
  using BuildIdKey = std::pair<std::string, std::uint64_t>;

  [[nodiscard]] static std::optional<FileKey> key_of(int fd);
  [[nodiscard]] DebugFile first_accepted(const DebugQuestion& question, std::uint64_t base, const Accepts& accepts);
  [[nodiscard]] DebugFile by_build_id(const std::string& build_id, const FileRef& file, const Accepts& accepts);
  [[nodiscard]] DebugFile by_link(const ElfFile& elf, const std::string& build_id, int fd, const FileRef& file);
  [[nodiscard]] DebugFile from_server(const std::string& build_id, const Accepts& accepts);
  [[nodiscard]] bool has_checksum(int fd, std::uint32_t crc);

  DebugSupplier& supplier_;
  std::uint64_t checksum_budget_bytes_;
  std::set<BuildIdKey> not_in_directories_;
  std::set<std::string> not_on_server_;                     // build-ids
  std::set<std::pair<FileKey, std::uint64_t>> not_linked_;  // files whose link leads nowhere
  std::map<FileKey, std::optional<std::uint32_t>> checksums_;
};

}  // namespace profile
