// Marks the rows of an interpreter's function in a finished table. It writes all rows again, because a marked range may
// begin and end where there was no row.
#include <elf.h>

#include <algorithm>
#include <map>
#include <utility>

#include "unwind/build.h"
#include "unwind/row_writer.h"

namespace profile {
namespace {

class Marker {
 public:
  explicit Marker(UnwindTable& table) : table_(table) {}

  std::uint32_t marked(std::uint32_t code) {
    if (code == 0) return 0;
    if ((code & UNWIND_SHORT) != 0 && table_.elf_machine == EM_X86_64) return code | UNWIND_X86_64_INTERPRETER;
    const auto [known, is_new] = numbers_.try_emplace(code, code);
    if (!is_new) return known->second;
    unwind_rule rule = rule_of(table_, code);
    if (rule.cfa != UNWIND_CFA_REGISTER || table_.rules.size() == most_unwind_rules) return code;
    rule.flags |= UNWIND_INTERPRETER;
    known->second = static_cast<std::uint32_t>(table_.rules.size());
    table_.rules.push_back(rule);
    return known->second;
  }

 private:
  UnwindTable& table_;
  std::map<std::uint32_t, std::uint32_t> numbers_;  // from a code to that of the marked rule
};

}  // namespace

void mark_interpreter(UnwindTable& table, std::span<const CodeRange> ranges) {
  UnwindTable marked;
  marked.elf_machine = table.elf_machine;
  marked.unit_shift = table.unit_shift;
  marked.rules = table.rules;
  marked.rows.reserve(table.rows.size());
  marked.pages.reserve(table.pages.size());
  Marker marker(marked);
  RowWriter rows(marked);
  std::vector<std::uint64_t> borders;  // where a range begins, where it ends, and so on
  for (const CodeRange& range : ranges) borders.insert(borders.end(), {range.start, range.start + range.bytes});
  std::size_t passed = 0;
  std::uint32_t code = 0;
  const auto put = [&](std::uint64_t offset) { rows.add(offset, passed % 2 == 1 ? marker.marked(code) : code); };
  const auto go_to = [&](std::uint64_t offset) {
    while (passed < borders.size() && borders[passed] <= offset) {
      const std::uint64_t border = borders[passed++];
      put(border);
    }
  };
  const auto add = [&](std::uint64_t offset, std::uint32_t next) {
    go_to(offset);
    code = next;
    put(offset);
  };
  const std::uint32_t page_shift = UNWIND_PAGE_SHIFT(table.unit_shift);
  std::uint64_t page_start = std::uint64_t{table.first_page} << page_shift;
  for (const unwind_page& page : table.pages) {
    add(page_start, page.rows_and_code & UNWIND_CODE_MASK);
    const std::uint32_t count = page.rows_and_code >> UNWIND_CODE_BITS;
    for (const std::uint32_t row : std::span(table.rows).subspan(page.first_row, count)) {
      const std::uint64_t unit = row >> UNWIND_CODE_BITS;
      add(page_start + (unit << table.unit_shift), row & UNWIND_CODE_MASK);
    }
    page_start += std::uint64_t{1} << page_shift;
  }
  go_to(UINT64_MAX);
  rows.finish();
  if (!rows.is_full()) table = std::move(marked);
}

}  // namespace profile
