// The bytes of .eh_frame or .debug_frame, as they are in the file or unpacked. A small section is in memory completely;
// of a large one, only a part that moves. Whoever looks at bytes pays for them here, because entries may overlap: a
// small section can have thousands of them that share a megabyte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "elf/file.h"

namespace profile {

// Honest entries have some kilobytes.
inline constexpr std::uint32_t longest_entry_bytes = 1 << 20;

enum class FrameSection : std::uint8_t { eh_frame, debug_frame };

class FrameBytes {
 public:
  // nullopt: the file has no such section that can be read. The file must outlive this.
  [[nodiscard]] static std::optional<FrameBytes> find(const ElfFile& file, FrameSection kind);

  [[nodiscard]] FrameSection kind() const { return kind_; }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  // The address of the first byte after loading.
  [[nodiscard]] std::uint64_t address() const { return address_; }
  // The end of the section is unknown; an entry of length 0 marks it.
  [[nodiscard]] bool is_open() const { return is_open_; }

  // `count` bytes from `at` on, fewer at the end of the section; valid until the next call.
  // Empty when the bytes cannot be read (is_unreadable() is true from then on), when `count` is too much for one
  // entry, or when the file's budget is spent: each byte is a step, each time it is handed out.
  [[nodiscard]] std::span<const std::byte> from(std::uint32_t at, std::uint32_t count) {
    const std::uint32_t wanted = std::min(count, at < size_ ? size_ - at : 0);
    if (at < held_at_ || at - held_at_ > held_.size() || wanted > held_.size() - (at - held_at_)) {
      if (!move_to(at, wanted)) return {};
    }
    if (!file_->spend(wanted)) return {};
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
