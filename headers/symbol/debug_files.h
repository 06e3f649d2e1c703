// Finds the file that a distribution, or whoever built a program, keeps its debug information in: by build-id in the
// listed directories, else by .gnu_debuglink beside the file and in the listed directories, else from debuginfod. What
// is found counts only when its build-id, or else its checksum, is the right one. Parses nothing itself but headers:
// the caller reads the descriptor that comes back like any other hostile file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "support/fd.h"
#include "symbol/elf_file.h"

namespace profile {

class Debuginfod;

class DebugFiles {
 public:
  // `directories`: the first that has the file wins, so the person's own first and /usr/lib/debug last. `debuginfod`
  // may be null and must outlive this.
  explicit DebugFiles(const std::vector<std::string>& directories, Debuginfod* debuginfod = nullptr);

  // The debug file of `file`, which is open as `fd` and which a process saw as `path`; no Fd when there is none. That
  // there is none is remembered; one that there is, is opened anew each time.
  [[nodiscard]] Fd find(const ElfFile& file, int fd, std::string_view path);
  // What .gnu_debugaltlink of `file`, open as `fd`, leads to: what several debug files share. A file for libdw, perhaps
  // of type ET_REL.
  [[nodiscard]] Fd find_alternate(const ElfFile& file, int fd);
  // Forgets what it remembers of each file that was asked for.
  void forget();

 private:
  // Device, inode, size and time of modification.
  using FileKey = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t>;
  using Accepts = std::function<bool(int fd)>;

  [[nodiscard]] static std::optional<FileKey> key_of(int fd);
  [[nodiscard]] Fd by_build_id(const std::string& build_id, const Accepts& accepts);
  [[nodiscard]] Fd by_link(const ElfFile& file, const std::string& build_id, int fd, std::string_view path);
  [[nodiscard]] Fd from_server(const std::string& build_id, const Accepts& accepts);
  [[nodiscard]] bool has_checksum(int fd, std::uint32_t crc);
  [[nodiscard]] bool is_listed(const std::string& path) const;

  std::vector<std::string> directories_;
  Debuginfod* debuginfod_;
  std::uint64_t checksum_budget_bytes_;
  std::set<std::string> not_in_directories_;  // build-ids
  std::set<std::string> not_on_server_;       // build-ids
  std::set<FileKey> not_linked_;              // files whose link leads nowhere
  std::map<FileKey, std::optional<std::uint32_t>> checksums_;
};

}  // namespace profile
