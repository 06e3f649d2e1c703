// Unpacks the names of functions that Fedora and similar systems leave in stripped programs: the section .gnu_debugdata
// holds an xz-compressed ELF file with nothing but a symbol table. Once it is unpacked into memory, it is read like any
// other file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "elf/file.h"

namespace profile {

// The largest known ones, from web browsers, unpack to some 10 MB.
inline constexpr std::uint64_t most_mini_debuginfo_bytes = 64 << 20;

// Has its own memory pages. The kernel provides each page when it is first written, so the bytes are never copied, as
// they are in a vector that grows.
class UnpackedFile {
 public:
  UnpackedFile(UnpackedFile&& other) noexcept;
  UnpackedFile& operator=(UnpackedFile&&) = delete;
  ~UnpackedFile();

  [[nodiscard]] FileBytes bytes() const { return FileBytes(std::span(pages_.data(), size_bytes_)); }

 private:
  friend std::optional<UnpackedFile> unpack_mini_debuginfo(const ElfFile&, std::string&, std::uint64_t);
  explicit UnpackedFile(std::uint64_t most_bytes);

  std::span<std::byte> pages_;  // empty: not enough memory
  std::size_t size_bytes_ = 0;
};

// The unpacked file; its addresses are those of `file`. nullopt and an empty `why`: `file` has no such section. nullopt
// and a `why`: the section cannot be unpacked.
[[nodiscard]] std::optional<UnpackedFile> unpack_mini_debuginfo(const ElfFile& file, std::string& why,
                                                                std::uint64_t most_bytes = most_mini_debuginfo_bytes);

}  // namespace profile
