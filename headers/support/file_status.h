// The result of fstat for an open file, for code that may run in a sandbox.
#pragma once

#include <cstdint>
#include <optional>

namespace profile {

struct FileStatus {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t allocated_bytes = 0;  // as far as the file system says; the rest of the size is holes
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // also of its owner, its permissions or its names
  std::uint32_t links = 0;
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  std::uint32_t mode = 0;  // type and permissions
};

// nullopt: errno says why.
[[nodiscard]] std::optional<FileStatus> status_of(int fd);

}  // namespace profile
