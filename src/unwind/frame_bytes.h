// The bytes of .eh_frame or .debug_frame, whichever a file has: as they lie there, or unpacked. Whole in memory where
// they are not too many, else a part of them that moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "elf/file.h"

namespace profile {

enum class FrameSection : std::uint8_t { eh_frame, debug_frame };

class FrameBytes {
 public:
  // nullopt: the file has none that can be read. Both must outlive this.
  [[nodiscard]] static std::optional<FrameBytes> find(const ElfFile& file, FrameSection kind);

  [[nodiscard]] FrameSection kind() const { return kind_; }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  // Where the first byte lies once loaded.
  [[nodiscard]] std::uint64_t address() const { return address_; }
  // Nobody says where it ends: an entry of no length does.
  [[nodiscard]] bool is_open() const { return is_open_; }

  // `count` bytes from `at` on, fewer at the end; until it is called again. None when they cannot be read, which
  // is_unreadable() says from then on, or are more than the longest entry has.
  [[nodiscard]] std::span<const std::byte> from(std::uint32_t at, std::uint32_t count) {
    const std::uint32_t wanted = std::min(count, at < size_ ? size_ - at : 0);
    if (at < held_at_ || at - held_at_ > held_.size() || wanted > held_.size() - (at - held_at_)) {
      if (!move_to(at, wanted)) return {};
    }
    return held_.subspan(at - held_at_, wanted);
  }
  [[nodiscard]] bool is_unreadable() const { return is_unreadable_; }

 private:
  FrameBytes(const ElfFile& file, FrameSection kind) : file_(&file), kind_(kind) {}
  [[nodiscard]] bool place_section(const ElfSection& section);
  [[nodiscard]] bool place_by_header();
  [[nodiscard]] bool unpack(const ElfSection& section);
  [[nodiscard]] bool move_to(std::uint32_t at, std::uint32_t wanted);

  const ElfFile* file_;
  FrameSection kind_;
  bool is_open_ = false;
  bool is_unreadable_ = false;
  std::uint32_t size_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t address_ = 0;
  std::unique_ptr<std::byte[]> memory_;
  std::span<const std::byte> held_;
  std::uint32_t held_at_ = 0;
};

}  // namespace profile
