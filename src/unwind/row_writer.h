// Puts rows, in the order of the file, into pages. It leaves out a row that is equal to the one before it.
#pragma once

#include <cstdint>

#include "unwind/table.h"

namespace profile {

class RowWriter {
 public:
  // `table` must outlive this, and its unit_shift must be set.
  explicit RowWriter(UnwindTable& table) : table_(table), page_shift_(UNWIND_PAGE_SHIFT(table.unit_shift)) {}

  // `code` holds from `offset` on. Offsets must not descend; the last call for one place counts.
  void add(std::uint64_t offset, std::uint32_t code) {
    const std::uint64_t unit = offset >> table_.unit_shift;
    if (unit != unit_) {
      write();
      unit_ = unit;
    }
    code_ = code;
  }
  // Writes the last row.
  void finish() { write(); }
  // The table would be larger than that of any real file, so no more rows are written.
  [[nodiscard]] bool is_full() const { return is_full_; }

 private:
  void write();

  UnwindTable& table_;
  const std::uint32_t page_shift_;
  std::uint64_t unit_ = 0;     // of the row that is written next
  std::uint32_t code_ = 0;     // of the row that is written next
  std::uint32_t written_ = 0;  // of the row that was written last
  bool is_full_ = false;
};

}  // namespace profile
