#include "unwind/table.h"

#include <elf.h>

#include <algorithm>
#include <iterator>
#include <span>

namespace profile {
namespace {

constexpr std::uint8_t x86_64_rbp = 6, x86_64_rsp = 7;
constexpr std::uint8_t arm64_x29 = 29, arm64_sp = 31;

std::int16_t words_below(std::uint32_t words) { return static_cast<std::int16_t>(-8 * static_cast<int>(words)); }

unwind_rule short_rule(std::uint16_t elf_machine, std::uint32_t code) {
  const bool is_arm64 = elf_machine == EM_AARCH64;
  const bool by_fp = (code & UNWIND_SHORT_BY_FP) != 0;
  unwind_rule rule{};
  rule.cfa = UNWIND_CFA_REGISTER;
  rule.cfa_register = is_arm64 ? (by_fp ? arm64_x29 : arm64_sp) : (by_fp ? x86_64_rbp : x86_64_rsp);
  rule.cfa_offset = static_cast<std::int32_t>(8 * (code >> UNWIND_SHORT_CFA_SHIFT & UNWIND_SHORT_CFA_MOST));
  if (is_arm64) {
    const std::uint32_t slot = code & UNWIND_ARM64_SLOT_MOST;
    if (slot == 0) return rule;
    rule.fp = rule.ra = UNWIND_AT_CFA;
    rule.fp_offset = words_below(slot);
    rule.ra_offset = words_below(slot - 1);
    return rule;
  }
  rule.ra = UNWIND_AT_CFA;
  rule.ra_offset = words_below(1);
  if (const std::uint32_t slot = code >> UNWIND_X86_64_FP_SHIFT & UNWIND_X86_64_SLOT_MOST; slot != 0) {
    rule.fp = UNWIND_AT_CFA;
    rule.fp_offset = words_below(slot + 1);
  }
  if (const std::uint32_t slot = code >> UNWIND_X86_64_EXTRA_SHIFT & UNWIND_X86_64_SLOT_MOST; slot != 0) {
    rule.extra = UNWIND_AT_CFA;
    rule.extra_offset = words_below(slot + 1);
  }
  return rule;
}

}  // namespace

bool is_sound(const UnwindTable& table) {
  const auto is_known = [&](std::uint32_t code) { return (code & UNWIND_SHORT) != 0 || code < table.rules.size(); };
  if (table.rules.empty() || table.rules.front().cfa != UNWIND_CFA_NONE) return false;
  if (table.rows.size() > most_unwind_rows || table.pages.size() > most_unwind_pages) return false;
  if (table.rules.size() > most_unwind_rules || table.pages.size() > UINT32_MAX - table.first_page) return false;
  for (const unwind_rule& rule : table.rules) {
    if (rule.cfa > UNWIND_CFA_UNKNOWN || std::max({rule.fp, rule.ra, rule.extra}) > UNWIND_LOST) return false;
    if (rule.flags > (UNWIND_SIGNAL | UNWIND_INTERPRETER)) return false;
  }
  std::uint64_t row = 0;
  for (const unwind_page& page : table.pages) {
    const std::uint32_t count = page.rows_and_code >> UNWIND_CODE_BITS;
    if (page.first_row != row || count > table.rows.size() - row) return false;
    if (!is_known(page.rows_and_code & UNWIND_CODE_MASK)) return false;
    row += count;
    for (std::uint64_t i = page.first_row; i < row; ++i) {
      if (!is_known(table.rows[i] & UNWIND_CODE_MASK)) return false;
      const bool ascends =
          i == page.first_row || table.rows[i - 1] >> UNWIND_CODE_BITS < table.rows[i] >> UNWIND_CODE_BITS;
      if (!ascends) return false;
    }
  }
  return row == table.rows.size();
}

unwind_rule rule_of(const UnwindTable& table, std::uint32_t code) {
  return (code & UNWIND_SHORT) != 0 ? short_rule(table.elf_machine, code) : table.rules[code];
}

unwind_rule rule_at(const UnwindTable& table, FileOffset offset) {
  const std::uint32_t page_shift = UNWIND_PAGE_SHIFT(table.unit_shift);
  const std::uint64_t page_number = offset.value >> page_shift;
  if (page_number < table.first_page || page_number - table.first_page >= table.pages.size()) return {};
  const unwind_page& page = table.pages[page_number - table.first_page];
  const auto in_page = static_cast<std::uint32_t>(offset.value >> table.unit_shift) & UNWIND_MOST_IN_PAGE;
  const auto rows = std::span(table.rows).subspan(page.first_row, page.rows_and_code >> UNWIND_CODE_BITS);
  const auto behind =
      std::ranges::upper_bound(rows, in_page, {}, [](std::uint32_t row) { return row >> UNWIND_CODE_BITS; });
  const std::uint32_t code = (behind == rows.begin() ? page.rows_and_code : behind[-1]) & UNWIND_CODE_MASK;
  return rule_of(table, code);
}

std::string_view text_of(UnwindFault fault) {
  constexpr std::string_view texts[] = {"has a table",
                                        "is of another machine",
                                        "has no code",
                                        "describes no frames",
                                        "describes frames in a way that does not hold together",
                                        "would have too large a table",
                                        "has too many different rules",
                                        "takes too long"};
  static_assert(std::size(texts) == static_cast<std::size_t>(UnwindFault::count));
  return texts[static_cast<std::size_t>(fault)];
}

}  // namespace profile
