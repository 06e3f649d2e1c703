// The rows of one file in the form of abi/unwind.h, and the look-up in them. They say for every byte of its code how to
// find the caller's registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "abi/unwind.h"
#include "model/address.h"

namespace profile {

// No table is larger. Browsers and databases have a few million rows, and at most a gigabyte of code. All 3,000 files
// of a Debian system with compilers and browsers together have 5,000 rules.
constexpr std::size_t most_unwind_rows = 6'000'000;
constexpr std::size_t most_unwind_pages = 1 << 20;
constexpr std::size_t most_unwind_rules = 32768;

struct UnwindTable {
  std::uint16_t elf_machine = 0;  // EM_X86_64 or EM_AARCH64
  std::uint32_t unit_shift = 0;   // log2 of the bytes of a unit of code
  std::uint32_t first_page = 0;   // number of the first page, counted from the start of the file
  std::vector<unwind_page> pages;
  std::vector<std::uint32_t> rows;
  std::vector<unwind_rule> rules;  // rules[0]: UNWIND_CFA_NONE

  [[nodiscard]] std::uint64_t size_bytes() const {
    return pages.size() * sizeof(unwind_page) + rows.size() * sizeof(std::uint32_t) +
           rules.size() * sizeof(unwind_rule);
  }
};

// Whether the table is no larger than these limits, and every number in it is in range.
[[nodiscard]] bool is_sound(const UnwindTable& table);

// The rule of a code of a sound table.
[[nodiscard]] unwind_rule rule_of(const UnwindTable& table, std::uint32_t code);
// The table must be sound. UNWIND_CFA_NONE when it has no rule there.
[[nodiscard]] unwind_rule rule_at(const UnwindTable& table, FileOffset offset);

// Why a file has no table.
enum class UnwindFault : std::uint8_t {
  none,           // it has a table
  other_machine,  // code for a machine that is unknown here, or 32-bit code
  no_code,        // no executable segment
  no_frames,      // nothing in the file describes frames
  damaged,        // the descriptions of frames contradict each other or cannot be read
  too_large,      // its table would be larger than that of any real file
  too_complex,    // it has more different rules than any real file
  spent,          // the budget was spent
  count
};
[[nodiscard]] std::string_view text_of(UnwindFault fault);

}  // namespace profile
