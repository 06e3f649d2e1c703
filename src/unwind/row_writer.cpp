#include "unwind/row_writer.h"

#include <algorithm>

namespace profile {

void RowWriter::write() {
  if (code_ == written_ || is_full_) return;
  const std::uint64_t page = unit_ >> (page_shift_ - table_.unit_shift);
  if (table_.pages.empty()) table_.first_page = static_cast<std::uint32_t>(page);
  const std::uint64_t pages = page - table_.first_page + 1;
  if (pages > most_unwind_pages || table_.rows.size() == most_unwind_rows || page > UINT32_MAX) {
    is_full_ = true;
    return;
  }
  const auto first_row = static_cast<std::uint32_t>(table_.rows.size());
  const bool is_new = pages > table_.pages.size();
  if (is_new) table_.pages.resize(pages, {.first_row = first_row, .rows_and_code = written_});
  const auto in_page = static_cast<std::uint32_t>(unit_) & UNWIND_MOST_IN_PAGE;
  if (in_page == 0) {
    table_.pages.back().rows_and_code = code_;
  } else {
    table_.rows.push_back(in_page << UNWIND_CODE_BITS | code_);
    table_.pages.back().rows_and_code += 1U << UNWIND_CODE_BITS;
  }
  written_ = code_;
}

}  // namespace profile
