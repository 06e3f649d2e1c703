// The entries of .eh_frame and .debug_frame: which part of the code each one describes, and where its instructions are.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "elf/file.h"
#include "unwind/frame_bytes.h"
#include "unwind/frame_state.h"
#include "unwind/machine.h"
#include "unwind/table.h"

namespace profile {

// The part that many entries share (a CIE).
struct FrameCommon {
  std::uint64_t code_step = 1;  // code alignment factor
  std::int64_t data_step = 1;   // data alignment factor
  std::uint64_t ra_register = 0;
  std::uint8_t pointers = 0;  // DW_EH_PE_...
  bool has_augmentation_data = false;
  // Go says nothing of the frame pointer, but every frame of its has the caller's, next to the return address.
  bool is_of_go = false;
  FrameState start;
};

// A range of code, from offset `start` of the file on, and where its description is.
struct FrameRange {
  std::uint32_t start = 0;
  std::uint32_t bytes = 0;
  std::uint32_t at = 0;  // where its instructions are in the section
  std::uint32_t instruction_bytes = 0;
  std::uint32_t common = 0;  // index into FrameEntries::commons

  // The value of `common` for a range that no entry describes: one rule holds for all of it, and `at` is the code of
  // that rule.
  static constexpr std::uint32_t plain = UINT32_MAX;
  // Set in `common` of an entry of .debug_frame.
  static constexpr std::uint32_t of_debug_frame = 1U << 30;
  [[nodiscard]] bool is_of_debug_frame() const { return common != plain && (common & of_debug_frame) != 0; }
  [[nodiscard]] std::uint64_t end() const { return std::uint64_t{start} + bytes; }
};

class FrameEntries {
 public:
  FrameEntries(const ElfFile& file, const UnwindMachine& machine, FrameBytes& bytes);

  // False: the entries contradict each other or cannot be read, and none may be used.
  [[nodiscard]] bool read();
  // There were more ranges than in any real file, so the later ones are missing.
  [[nodiscard]] bool is_full() const { return is_full_; }
  [[nodiscard]] std::vector<FrameRange>& ranges() { return ranges_; }
  [[nodiscard]] const FrameCommon& common(std::uint32_t index) const { return commons_[index]; }

  // By addresses as in the file.
  struct Code {
    std::uint64_t start = 0;
    std::uint64_t bytes = 0;
  };
  // What the entry at `at` of the section describes; nullopt: no such entry is there, or its code is not in the file.
  [[nodiscard]] std::optional<Code> code_at(std::uint32_t at);

 private:
  struct Header {
    std::uint64_t next = 0;   // where the next entry begins
    std::uint32_t id_at = 0;  // where the field of the id begins
    std::uint64_t id = 0;
    std::uint32_t body = 0;  // where the rest of the entry begins
  };
  [[nodiscard]] std::optional<Header> header_at(std::uint32_t at);
  [[nodiscard]] bool is_common(const Header& header) const;
  [[nodiscard]] bool read_range(const Header& header);
  [[nodiscard]] std::optional<std::uint32_t> common_at(std::uint64_t at);
  [[nodiscard]] std::optional<FrameCommon> read_common(const Header& header);
  void add(std::uint64_t address, std::uint64_t bytes, FrameRange range);

  const ElfFile& file_;
  const UnwindMachine& machine_;
  FrameBytes& bytes_;
  std::vector<ElfSegment> code_;
  std::vector<FrameCommon> commons_;
  std::unordered_map<std::uint64_t, std::optional<std::uint32_t>> common_by_place_;
  std::uint64_t last_common_at_ = UINT64_MAX;
  std::optional<std::uint32_t> last_common_;
  std::vector<FrameRange> ranges_;
  bool is_full_ = false;
};

}  // namespace profile
