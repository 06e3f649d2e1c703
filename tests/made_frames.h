// Builds .eh_frame and .debug_frame byte by byte, and a file around them. The unit tests and the fuzz target use them.
#pragma once

#include <elf.h>

#include <cstdint>
#include <string>
#include <vector>

#include "made_elf.h"

namespace profile::test {

inline std::string bytes(const std::vector<unsigned>& values) {
  std::string made;
  for (const unsigned value : values) made += static_cast<char>(value);
  return made;
}

inline std::string uleb(std::uint64_t value) {
  std::string made;
  for (; value >= 0x80; value >>= 7) made += static_cast<char>(value | 0x80);
  return made + static_cast<char>(value);
}

inline std::string sleb(std::int64_t value) {
  std::string made;
  for (; value < -64 || value > 63; value >>= 7) made += static_cast<char>(value | 0x80);
  return made + static_cast<char>(value & 0x7f);
}

struct MadeCommon {
  std::string augmentation = "zR";
  unsigned version = 1;
  unsigned code_step = 1;
  int data_step = -8;
  unsigned ra_register = 16;
  std::string augmentation_data = std::string(1, '\0');  // DW_EH_PE_absptr
  // CFA = rsp + 8, the return address at CFA - 8.
  std::string instructions = bytes({0x0c, 7, 8, 0x90, 1});
};

class MadeFrames {
 public:
  explicit MadeFrames(bool is_debug_frame = false) : is_debug_frame_(is_debug_frame) {}

  // Returns its offset in the section.
  std::size_t common(const MadeCommon& made = {}) {
    std::string body = bytes_of(static_cast<std::uint8_t>(made.version)) + made.augmentation + '\0';
    if (made.version == 4) body += bytes({8, 0});
    body += uleb(made.code_step) + sleb(made.data_step) + uleb(made.ra_register);
    if (made.augmentation.starts_with('z')) body += uleb(made.augmentation_data.size()) + made.augmentation_data;
    return entry(is_debug_frame_ ? UINT32_MAX : 0, body + made.instructions);
  }
  // `common` has an augmentation that begins with "z", or no augmentation.
  std::size_t function(std::size_t common, std::uint64_t start, std::uint64_t size, const std::string& instructions) {
    const std::size_t back = is_debug_frame_ ? common : bytes_.size() + 4 - common;
    return entry(static_cast<std::uint32_t>(back),
                 bytes_of(start) + bytes_of(size) + (is_debug_frame_ ? "" : std::string(1, '\0')) + instructions);
  }
  std::size_t entry(std::uint32_t id, const std::string& body) {
    const std::size_t at = bytes_.size();
    bytes_ += bytes_of(static_cast<std::uint32_t>(sizeof id + body.size())) + bytes_of(id) + body;
    return at;
  }
  [[nodiscard]] std::string& content() { return bytes_; }

 private:
  bool is_debug_frame_;
  std::string bytes_;
};

// The place of the code in the file and in memory.
constexpr std::uint64_t made_code_offset = sizeof(Elf64_Ehdr);
constexpr std::uint64_t made_code_address = 0x401000;

inline Elf64_Phdr code_segment(std::uint64_t size, std::uint64_t offset = made_code_offset,
                               std::uint64_t address = made_code_address) {
  Elf64_Phdr segment{};
  segment.p_type = PT_LOAD;
  segment.p_flags = PF_R | PF_X;
  segment.p_offset = offset;
  segment.p_vaddr = address;
  segment.p_filesz = segment.p_memsz = size;
  return segment;
}

inline std::string file_with_frames(const std::string& frames, std::uint16_t machine = EM_X86_64,
                                    const std::string& section = ".eh_frame", std::uint64_t code_bytes = 0x4000,
                                    std::uint64_t flags = SHF_ALLOC) {
  return made_elf({{.name = ".text",
                    .content = std::string(code_bytes, '\0'),
                    .flags = SHF_ALLOC | SHF_EXECINSTR,
                    .address = made_code_address},
                   {.name = section, .content = frames, .flags = flags, .address = 0x800000}},
                  machine, {code_segment(code_bytes)});
}

}  // namespace profile::test
