// What fstat says of an open file, for code that runs in a sandbox as well.
#pragma once

#include <cstdint>
#include <optional>

namespace profile {

struct FileStatus {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t allocated_bytes = 0;  // the rest of the size is holes; as far as its file system tells
  std::int64_t modified_ns = 0;
  std::uint32_t owner = 0;
};

// nullopt: errno says why.
[[nodiscard]] std::optional<FileStatus> status_of(int fd);

}  // namespace profile
