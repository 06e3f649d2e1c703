// Fedora and its kin strip programs but leave the names of their functions in them: the section .gnu_debugdata holds an
// xz-compressed ELF file with nothing but a symbol table. Unpacked into memory it is read like any other file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "elf/file.h"

namespace profile {

// The largest known ones, of web browsers, unpack to some 10 MB.
inline constexpr std::uint64_t most_mini_debuginfo_bytes = 64 << 20;

// Pages of its own, which are taken as they are written to: so there is never a second copy, as in a vector that grows.
class UnpackedFile {
 public:
  UnpackedFile(UnpackedFile&& other) noexcept;
  UnpackedFile& operator=(UnpackedFile&&) = delete;
  ~UnpackedFile();

  [[nodiscard]] FileBytes bytes() const { return FileBytes(std::span(pages_.data(), size_bytes_)); }

 private:
  friend std::optional<UnpackedFile> unpack_mini_debuginfo(const ElfFile&, std::string&, std::uint64_t);
  explicit UnpackedFile(std::uint64_t most_bytes);

  std::span<std::byte> pages_;  // empty: there is no memory
  std::size_t size_bytes_ = 0;
};

// The unpacked file; its addresses are those of `file`. nullopt, and `why` empty: `file` has no such section. nullopt,
// and `why` says it: it cannot be unpacked.
[[nodiscard]] std::optional<UnpackedFile> unpack_mini_debuginfo(const ElfFile& file, std::string& why,
                                                                std::uint64_t most_bytes = most_mini_debuginfo_bytes);

}  // namespace profile
