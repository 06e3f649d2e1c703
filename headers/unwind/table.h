// The rows of one file, as abi/unwind.h has them, and a look into them: for every byte of its code, how the caller's
// registers are found from there.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "abi/unwind.h"
#include "model/address.h"

namespace profile {

struct UnwindTable {
  std::uint16_t elf_machine = 0;  // EM_X86_64 or EM_AARCH64
  std::uint32_t unit_shift = 0;
  std::uint32_t first_page = 0;  // of the file, counted from its first byte
  std::vector<unwind_page> pages;
  std::vector<std::uint32_t> rows;
  std::vector<unwind_rule> rules;  // rules[0]: UNWIND_CFA_NONE

  [[nodiscard]] std::uint64_t size_bytes() const {
    return pages.size() * sizeof(unwind_page) + rows.size() * sizeof(std::uint32_t) +
           rules.size() * sizeof(unwind_rule);
  }
};

// Every number in it leads into it.
[[nodiscard]] bool is_sound(const UnwindTable& table);

// Of a sound table. UNWIND_CFA_NONE where it has none.
[[nodiscard]] unwind_rule rule_at(const UnwindTable& table, FileOffset offset);

// Why a file has no table.
enum class UnwindFault : std::uint8_t {
  none,           // it has one
  other_machine,  // code of a machine that is not known here, or of its 32-bit relative
  no_code,        // no executable segment
  no_frames,      // nothing in it describes frames
  damaged,        // what does so does not hold together, or cannot be read
  too_large,      // its table would be larger than any
  too_complex,    // more different rules than any
  spent,          // the budget is
  count
};
[[nodiscard]] std::string_view text_of(UnwindFault fault);

}  // namespace profile
